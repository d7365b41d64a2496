//! The time zone of this machine.

use crate::model::Zone;
use jiff::tz::TimeZone;
use std::{
    env, fs,
    path::{Component, Path},
    sync::OnceLock,
};

const ZONEINFO: &str = "/usr/share/zoneinfo";
const LOCALTIME: &str = "/etc/localtime";

/// The zone that `TZ` or `/etc/localtime` names, from its own file. The time zone library would first list the names of
/// all zones, which takes as long as a frame. `None` where only the library knows what is meant.
fn named_by_system() -> Option<TimeZone> {
    if env::var_os("TZDIR").is_some() {
        return None;
    }
    let name = match env::var_os("TZ") {
        Some(name) => name.into_string().ok()?,
        None => linked_name(&fs::read_link(LOCALTIME).ok()?)?.to_owned(),
    };
    read_zone(Path::new(ZONEINFO), &name)
}

/// `Europe/Berlin` of `/usr/share/zoneinfo/Europe/Berlin`.
fn linked_name(target: &Path) -> Option<&str> {
    let (_, name) = target.to_str()?.rsplit_once("zoneinfo/")?;
    Some(name)
}

fn read_zone(dir: &Path, name: &str) -> Option<TimeZone> {
    if name == "UTC" {
        return Some(TimeZone::UTC);
    }
    let path = Path::new(name);
    let is_name = |part| matches!(part, Component::Normal(_));
    if name.is_empty() || !path.components().all(is_name) {
        return None;
    }
    let data = fs::read(dir.join(path)).ok()?;
    TimeZone::tzif(name, &data).ok()
}

/// The machine's zone, read once; UTC if unknown.
pub(super) fn local_zone() -> Zone {
    static LOCAL: OnceLock<TimeZone> = OnceLock::new();
    let local = LOCAL.get_or_init(|| named_by_system().unwrap_or_else(TimeZone::system));
    local.clone().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    #[test]
    fn the_local_zone_is_read_by_its_name_and_only_from_the_zones_directory() {
        let link = Path::new("../usr/share/zoneinfo/America/Argentina/Ushuaia");
        assert_eq!(linked_name(link), Some("America/Argentina/Ushuaia"));
        assert_eq!(linked_name(Path::new("/etc/zone")), None);
        let dir = tempfile::tempdir().unwrap();
        let zones = dir.path().join("zoneinfo");
        std::fs::create_dir_all(zones.join("Europe")).unwrap();
        // Version 1, one type of local time: an hour ahead of UTC, called CET.
        let mut data = b"TZif".to_vec();
        data.extend([0; 16]);
        data.extend(
            [0_u32, 0, 0, 0, 1, 4]
                .into_iter()
                .flat_map(u32::to_be_bytes),
        );
        data.extend(3_600_u32.to_be_bytes());
        data.extend(b"\0\0CET\0");
        std::fs::write(zones.join("Europe/Berlin"), &data).unwrap();
        std::fs::write(dir.path().join("outside"), &data).unwrap();
        let read = |name| read_zone(&zones, name);
        let berlin = read("Europe/Berlin").unwrap();
        assert_eq!(berlin.iana_name(), Some("Europe/Berlin"));
        assert_eq!(
            Zone::from(berlin).offset(Timestamp(1_789_948_800_000)),
            3_600_000
        );
        assert_eq!(read("UTC"), Some(TimeZone::UTC));
        for name in ["", "Europe", "EST5EDT,M3.2.0,M11.1.0", "../outside", "/etc"] {
            assert_eq!(read(name), None, "{name}");
        }
    }
}
