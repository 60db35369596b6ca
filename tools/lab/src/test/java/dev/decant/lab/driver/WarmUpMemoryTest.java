package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.lab.probe.CpuTimes;
import dev.decant.lab.probe.RuntimeSnapshot;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A JVM that never collects had 96 MiB, and the counters that a warm-up read took 14 of them. */
class WarmUpMemoryTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static long bytesOf(Callable<?> work) throws Exception {
    work.call(); // loads the classes
    long before = THREADS.getCurrentThreadAllocatedBytes();
    work.call();
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void warmUpReadsItsCountersWithLittleMemory() throws Exception {
    long snapshot = bytesOf(RuntimeSnapshot::atEnd);
    long warmUp = bytesOf(() -> WarmUp.run((records, deadline) -> records, 4, 0));
    assertThat(warmUp).isLessThan(5 * snapshot);
  }

  @Test
  void shareOfTheCompilerIsThatOfTheTimeBetween() {
    CpuTimes before = new CpuTimes(1_000, 400);
    assertThat(new CpuTimes(3_000, 900).jitShareSince(before)).isEqualTo(0.25);
    assertThat(before.jitShareSince(before)).isZero();
    assertThat(new CpuTimes(3_000, -1).jitShareSince(new CpuTimes(1_000, -1))).isZero();
  }
}
