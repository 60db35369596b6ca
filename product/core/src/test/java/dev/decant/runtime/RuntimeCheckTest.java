package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real JVMs that check themselves. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RuntimeCheckTest {
  @Test
  void boundOfDirectMemoryIsTheFlagOrElseTheHeap() {
    long flag = Long.parseLong(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .getVMOption("MaxDirectMemorySize").getValue());

    assertThat(RuntimeCheck.directMemoryBytes()).isEqualTo(flag > 0 ? flag : Runtime.getRuntime().maxMemory());
  }

  /** Flags without a finding on any machine that runs the tests. */
  private static final String[] GOOD = {"-XX:+UseG1GC", "-XX:ActiveProcessorCount=2", "-Xmx256m",
      "-XX:MaxDirectMemorySize=64m", "-XX:ParallelGCThreads=1", "-XX:ConcGCThreads=1"};

  private static String[] goodAnd(String... flags) {
    String[] all = java.util.Arrays.copyOf(GOOD, GOOD.length + flags.length);
    System.arraycopy(flags, 0, all, GOOD.length, flags.length);
    return all;
  }

  private static String[] ids(java.util.List<String> lines) {
    return lines.stream().map(line -> line.split(": ", 2)[0]).toArray(String[]::new);
  }

  @Test
  void goodFlagsFindNothing() throws Exception {
    assertThat(CheckedJvm.run(Workload.NONE, GOOD)).isEmpty();
  }

  @Test
  void serialCollectorThatTheJvmChoseIsToldFromOneThatWasAskedFor() throws Exception {
    assertThat(CheckedJvm.run(Workload.NONE, "-XX:ActiveProcessorCount=1", "-Xmx256m")).filteredOn(
        line -> line.startsWith("gc.serial: the JVM chose the serial collector silently, because it sees one"
            + " processor (-XX:ActiveProcessorCount=1); "))
        .hasSize(1);
    assertThat(CheckedJvm.run(Workload.NONE, "-XX:ActiveProcessorCount=2", "-XX:+UseSerialGC", "-Xmx256m")).filteredOn(
        line -> line.startsWith("gc.serial: the serial collector is asked for (-XX:+UseSerialGC) and the JVM has 2"))
        .hasSize(1);
  }

  @Test
  void memoryAndBuffersAreMeasured() throws Exception {
    Workload workload = new Workload(96 << 20, 1 << 20, false);

    assertThat(ids(CheckedJvm.run(workload, "-XX:ActiveProcessorCount=2", "-XX:+UseG1GC", "-Xmx64m",
        "-XX:ParallelGCThreads=1"))).contains("gc.humongous", "memory.direct")
        // A JVM that started slowly knows its rate of allocation.
        .isSubsetOf("heap.small", "gc.humongous", "memory.direct");
    assertThat(CheckedJvm.run(workload, goodAnd("-XX:G1HeapRegionSize=4m", "-XX:MaxDirectMemorySize=96m"))).isEmpty();
  }

  @Test
  void propertiesAndFlagsForDevelopersAreRead() throws Exception {
    assertThat(ids(CheckedJvm.run(Workload.NONE, goodAnd("-Djdk.virtualThreadScheduler.parallelism=1",
        "-Djdk.pollerMode=2", "-Xint", "-Xcheck:jni", "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n"))))
        .contains("carriers.few", "carriers.pollers", "jvm.interpreted", "jvm.agents", "jvm.debugging");
    assertThat(ids(CheckedJvm.run(Workload.NONE, goodAnd("-XX:TieredStopAtLevel=1")))).containsExactly("jvm.tiers");
  }

  @Test
  void jvmWithoutManagementAndFlightRecorderIsCheckedAsFarAsItGoes() throws Exception {
    assertThat(ids(CheckedJvm.run(Workload.NONE.withVirtualThreads(true),
        goodAnd("--limit-modules", "java.base", "-Xint", "-Djdk.pollerMode=2"))))
        .containsExactly("runtime.unread", "carriers.pollers", "jvm.interpreted");
  }

  /** The recording of the command line begins before the check, so the test need not wait for the next check. */
  @Test
  void recordingFromTheCommandLineHasTheFindings(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("start.jfr");

    CheckedJvm.run(Workload.NONE, goodAnd("-XX:TieredStopAtLevel=1",
        "-XX:StartFlightRecording:filename=" + file + ",settings=none,dev.decant.RuntimeFinding#enabled=true",
        "-Xlog:jfr*=off"));

    assertThat(Files.size(file)).isPositive();
    assertThat(jdk.jfr.consumer.RecordingFile.readAllEvents(file))
        .filteredOn(event -> event.getEventType().getName().equals("dev.decant.RuntimeFinding"))
        .extracting(event -> event.getString("id")).containsExactly("jvm.tiers");
  }
}
