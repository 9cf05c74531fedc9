// The laws of elasticity, by name and by their numbers. Host code and kernels see the same list.
#ifndef SP_LAW_H
#define SP_LAW_H

typedef enum sp_law {
    SP_LAW_LINEAR,
    SP_LAW_COROTATIONAL,
    SP_LAW_STVK,
    SP_LAW_NEO_HOOKEAN_STABLE,
    SP_LAW_NEO_HOOKEAN_LOG,
    SP_LAW_NEO_HOOKEAN_ISOCHORIC,
    SP_LAW_MOONEY_RIVLIN,
    SP_LAW_ARRUDA_BOYCE,
    SP_LAW_VERONDA_WESTMANN,
    SP_LAW_OGDEN,
    SP_LAWS,  // number of isotropic laws
    // the laws with directions: holzapfel is SP_LAW_NEO_HOOKEAN_ISOCHORIC with fibres (kernels/fibre.h), costa has a kernel of
    // its own (kernels/costa.h)
    SP_LAW_HOLZAPFEL = SP_LAWS,
    SP_LAW_COSTA,
    SP_LAWS_ALL
} sp_law;

// energy of a change of volume, added to the isochoric laws (from SP_LAW_NEO_HOOKEAN_ISOCHORIC on)
enum { SP_LAW_VOLUME_LOG, SP_LAW_VOLUME_QUADRATIC, SP_LAW_VOLUME_MIXED, SP_LAW_VOLUMES };

// Numbers of an element for its law:
//   0, 1  shear modulus mu and lambda [Pa] of linear, corotational, stvk, stable, log
//   0     mu [Pa] of isochoric; of holzapfel c, which is mu
//   0, 1  c10, c01 [Pa] of mooney-rivlin
//   0, 1  mu [Pa], 1 / N of arruda-boyce, N segments of a chain
//   0, 1  c1 [Pa], c2 of veronda-westmann
//   0..7  mu_k [Pa], a_k of ogden, four terms; a_k = 0: no term
//   8, 9  bulk modulus [Pa] and SP_LAW_VOLUME_ of the isochoric laws
//   8     modulus k [Pa] of the penalty k/2 (J - 1)^2 of stvk and log; others have it in lambda, which is the same
//   9     of stvk: 1 with a penalty, whose J - 1 is then the measure of kernels/bar.h; else 0
//   1, 2  k1 [Pa], k2 of holzapfel: host code moves them to the numbers of the fibres
//   0     a [Pa] of costa; 1..6 bff bss bnn bfs bfn bsn; 8 its bulk modulus k [Pa]
//   2     SP_LAW_EXACT of corotational: 1 for the second derivatives of the energy, 0 for frozen rotations
enum { SP_LAW_PARAMS = 10, SP_LAW_EXACT = 2, SP_LAW_BULK = 8, SP_LAW_VOLUME = 9 };

// Numbers of a family of fibres: k1 [Pa], k2, and 1 if it acts in tension only; its state at an integration point (backend.h).
enum { SP_FIBRE_PARAMS = 3, SP_FIBRE_STATE = 5 };

#endif
