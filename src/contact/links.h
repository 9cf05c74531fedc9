// Links between bodies: rows of the contact problem that tie material points of two bodies to each other (docs/links.md).
//
// A link consists of ties. A tie is one group of rows. It has up to three points; on each of the two sides a point is a weighted
// mean of material points. A row is the difference of a point along one direction of the frame of the tie:
//
//     point    x_a = x_b                                    three rows in world axes; a spring if they are soft
//     frame    three points: three rows of the first, two   six rows: the relative pose of two bodies with frames of their own
//              of the second and one of the third
//     hinge    two points of an axis: three rows and two    five rows
//     line     x_a on a line that moves with b              two rows
//     plane    x_a on a plane that moves with b             one row
//     curve    x_a on the centreline of b                   two rows
//
// All rows are lengths [m], all multipliers impulses [N s]. Material points are found at the state in which the link is attached,
// and both sides of a point are then at the same place (points outside of an element are extrapolated), so that equal and
// opposite forces have no moment.
//
// Springs are soft rows: with the stiffness k and the damping c, lambda = - h k u - c (u - u at the start) is
// u + lambda / (h k + c) = c u at the start / (h k + c), a bilateral row with a compliance of its own.
//
// Friction of slides: |lambda_t| <= mu |lambda_n|, where the normal part is bilateral. The bound is a Coulomb group whose normal
// row is artificial: it is coupled with nothing, has the diagonal w and the violation -w |lambda_n|, so that its multiplier is
// |lambda_n|. The solve is repeated until that agrees with the rows of the tie.
#ifndef SP_LINKS_H
#define SP_LINKS_H

#include "body/body.h"
#include "contact/problem.h"

enum {
    SP_TIE_POINTS = 3,
    SP_TIE_SLIP = SP_CONE_ROWS_MAX,     // first number of friction
    SP_TIE_BOUND = SP_TIE_SLIP + 2,     // |lambda_n| that bounds friction
    SP_TIE_NUMBERS = SP_TIE_BOUND + 1,  // multipliers of a tie: rows, friction, bound
};

typedef enum sp_tie_type { SP_TIE_POINT, SP_TIE_FRAME, SP_TIE_HINGE, SP_TIE_LINE, SP_TIE_PLANE, SP_TIE_CURVE } sp_tie_type;

typedef struct sp_tie {
    sp_tie_type type;
    int first[SP_TIE_POINTS][2], count[SP_TIE_POINTS][2];  // material points of each point on each side, in sp_ties
    double share;                                          // of the stiffness and the damping of the link
    double rest[SP_CONE_ROWS_MAX];  // violation of the rows when it was attached [m]: 0 but where a side cannot carry the point
    int strand[2];                  // curve: first and last element of the strand
    // state
    sp_anchor guide;              // curve: where it is on the centreline
    double kept[SP_TIE_NUMBERS];  // multipliers of the last step
    double force[3];              // on the first side in the last step, world axes [N]
    bool gone;                    // curve: it has slid off
} sp_tie;

typedef struct sp_ties {
    int tie_count, part_count;
    sp_tie *ties;
    sp_anchor *anchor;  // part_count
    double *weight;     // likewise; the weights of a point on one side sum to one
    sp_anchor base[3];  // line, plane: points of b on the axes of the frame, the first is its origin
    // per side: marks of the nodes that are tied; NULL: the body has one frame, and is tied as a whole
    unsigned char *tied[2];
    int *corners[2];   // nodes of its elements, where a surface has vertices inside of them; NULL: none has
    int marked[2][2];  // nodes and elements of the body then: those that were appended later are not tied
} sp_ties;

typedef struct sp_link_side {  // copied from the definition
    sp_body *body;
    int *nodes, node_count;
    sp_anchor *points;
    int point_count;
} sp_link_side;

typedef struct sp_link {
    char name[64];
    uint32_t generation;
    bool used;        // false: removed
    sp_link_def def;  // its numbers; the pointers are NULL
    sp_link_side side[2];
    double within;  // of the last search [m]
    sp_link_state state;
    sp_ties now;
    double force[3], trial_force[3];  // on the first side: of the last step, of the current one [N]
    char path[4][80];                 // of its parameters
    bool breaks, ends;                // found in this step
    bool contradicts, reported;       // its points stay apart: found in this step; an event has said so
    bool added;                       // by an edit of the current step
    // what an edit of the current step has replaced
    bool edited;
    sp_link_state state_before;
    sp_ties before;
    sp_ties incoming;  // memory for a checkpoint that is restored
} sp_link;

typedef struct sp_link_list {
    sp_link *list;
    int count, capacity;
} sp_link_list;

static inline bool sp__link_acts(const sp_link *l) {
    return l->used && l->state == SP_LINK_ATTACHED;
}

// ---- link_ties.c: from the definition to ties

// Finds the ties at the committed state. The result is in *out, which the caller frees; on failure it is empty. SP_BAD_INPUT:
// nothing is near enough, or a body cannot carry the points. The link has its name, definition and sides.
sp_status sp__ties_make(sp_context *ctx, sp_link *link, sp_ties *out);
void sp__ties_free(sp_context *ctx, sp_ties *ties);

// ---- link_rows.c: points and rows of a tie

int sp__tie_rows(sp_tie_type type);   // bilateral rows
int sp__tie_slips(sp_tie_type type);  // rows of friction, where the link has any
// Point and direction (of the frame) of a row, number in [0, rows) or SP_TIE_SLIP + [0, slips).
void sp__tie_row(sp_tie_type type, int number, int *point, int *direction);
// Position of a point of a tie on one side at a state. Slides: that of the material point, or of the guide.
void sp__tie_point(const sp_link *l, const sp_tie *t, int point, int side, sp_which state, double x[3]);
// Frame of a tie at a state: rows are the directions.
void sp__tie_frame(const sp_link *l, const sp_tie *t, sp_which state, double frame[9]);
// Slides: the material point of b below the point of a at the committed state. False: it is beyond the end of the strand.
bool sp__tie_guide(const sp_link *l, const sp_tie *t, sp_anchor *out);
// Violations of the rows of a tie at a state, with its frame at the committed state.
void sp__tie_violation(const sp_link *l, const sp_tie *t, const sp_anchor *guide, const double frame[9], sp_which state,
                       double *out);
// Largest distance between the sides of a link at the committed state [m].
double sp__link_stretch(const sp_link *l);
// Whether a link holds one body at a feature of another: contacts between the two would only repeat its rows. vertex, count: of
// the surfaces of the two bodies; surface NULL: a shape. Springs hold nothing.
typedef struct sp_link_touch {
    const sp_body *body;
    const sp_surface *surface;
    const uint32_t *vertex;
    int count;
} sp_link_touch;
bool sp__link_holds(const sp_link *l, const sp_link_touch touch[2]);
// Marks the tied nodes of both sides. SP_NO_MEMORY: the ties are incomplete.
sp_status sp__ties_mark(sp_context *ctx, const sp_link *l, sp_ties *ties);

// The three directions of a point of a rod or rigid body, at a state: from points that are offset from it.
void sp__anchor_frame(sp_body *b, const sp_anchor *a, sp_which state, double frame[9]);
// The point of a centreline nearest to x at a state, searched from *at; strand: its first and last element. False: x is beyond
// an end.
bool sp__centreline_nearest(sp_body *b, sp_which state, const int strand[2], const double x[3], sp_anchor *at);

#endif
