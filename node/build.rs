//! Leaves the functions of Node to be found when Node loads the addon.

fn main() {
    napi_build::setup();
}
