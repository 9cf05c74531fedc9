// Names and messages of the statuses, signals over time, poses.
#include "core/core.h"

const char *sp_status_text(sp_status status) {
    switch (status) {
#define SP_X(name, value, text) \
    case name: return text;
        SP_STATUS_LIST(SP_X)
#undef SP_X
    }
    return "unknown status";
}

const char *sp_status_name(sp_status status) {
    switch (status) {
#define SP_X(name, value, text) \
    case name: return #name;
        SP_STATUS_LIST(SP_X)
#undef SP_X
    }
    return "unknown";
}

sp_signal sp_signal_constant(double value) {
    return (sp_signal){.constant = value};
}

double sp_signal_value(const sp_signal *signal, double t) {
    return signal->eval ? signal->eval(signal->user, t) : signal->constant;
}

sp_pose sp_pose_identity(void) {
    return (sp_pose){.quat = {1, 0, 0, 0}};
}

sp_pose_signal sp_pose_signal_constant(sp_pose pose) {
    return (sp_pose_signal){.constant = pose};
}

sp_pose sp_pose_signal_value(const sp_pose_signal *signal, double t) {
    sp_pose pose = signal->constant;
    if (signal->eval) signal->eval(signal->user, t, &pose);
    return pose;
}
