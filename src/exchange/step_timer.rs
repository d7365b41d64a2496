//! A timer that wakes its thread once. tokio's wakes it once more on the way to an instant more than 64 ms ahead, which an
//! exchange with four steps a second does not need.

use tokio::time::{Instant, sleep_until};

#[derive(Debug)]
pub(super) enum StepTimer {
    /// Where the kernel has none that can be waited for with sockets, and where time stands still in a test.
    Tokio,
    #[cfg(target_os = "linux")]
    Kernel(kernel::Timer),
}

impl StepTimer {
    pub(super) fn of_kernel() -> Self {
        #[cfg(target_os = "linux")]
        if let Ok(timer) = kernel::timer() {
            return Self::Kernel(timer);
        }
        Self::Tokio
    }

    pub(super) async fn until(&self, due: Instant) {
        #[cfg(target_os = "linux")]
        if let Self::Kernel(timer) = self
            && let Some(left) = due.checked_duration_since(Instant::now())
            && kernel::wait(timer, left).await.is_ok()
        {
            return;
        }
        // What is due already lets every other task run first.
        sleep_until(due).await;
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use rustix::{
        io::read,
        time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec},
        time::{timerfd_create, timerfd_settime},
    };
    use std::{io, os::fd::OwnedFd, time::Duration};
    use tokio::io::unix::AsyncFd;

    pub(super) type Timer = AsyncFd<OwnedFd>;

    #[expect(
        deprecated,
        reason = "sound for a descriptor that is owned; what replaces it is not safe code"
    )]
    pub(super) fn timer() -> io::Result<Timer> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        AsyncFd::new(timerfd_create(TimerfdClockId::Monotonic, flags)?)
    }

    pub(super) async fn wait(timer: &Timer, left: Duration) -> io::Result<()> {
        // Zero would stop it.
        let left = left.max(Duration::from_nanos(1));
        let once = Itimerspec {
            it_interval: Timespec::default(),
            it_value: Timespec::try_from(left).map_err(io::Error::other)?,
        };
        timerfd_settime(timer, TimerfdTimerFlags::empty(), &once)?;
        loop {
            let mut ready = timer.readable().await?;
            let fired = ready.try_io(|timer| Ok(read(timer, &mut [0; 8])?));
            if let Ok(fired) = fired {
                return fired.map(drop);
            }
        }
    }
}
