package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CollectorRulesTest {
  private static final Workload MIB_BUFFERS = Workload.NONE.withLargestHeapBuffer(1024 * 1024);

  private static Finding only(RuntimeCheck check, String id) {
    assertThat(check.findings()).extracting(Finding::id).containsExactly(id);
    return check.findings().getFirst();
  }

  @Test
  void nothingIsWrongWithAnOrdinaryJvm() {
    assertThat(new FakeProbes().check(MIB_BUFFERS).findings()).isEmpty();
  }

  @Test
  void serialCollectorThatIsAskedForOnManyProcessorsIsAMisfit() {
    Finding finding = only(new FakeProbes().collector("UseSerialGC", true).check(), "gc.serial");

    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    assertThat(finding.measured()).contains("asked for", "4 processors");
    assertThat(finding.cure()).isEqualTo("-XX:+UseG1GC instead of -XX:+UseSerialGC");
  }

  @Test
  void serialCollectorThatIsAskedForOnOneProcessorIsMeant() {
    assertThat(new FakeProbes().collector("UseSerialGC", true).processors(1).check().findings()).isEmpty();
  }

  @Test
  void serialCollectorChosenForOneProcessorNamesTheFlagThatHidesTheOthers() {
    Finding finding = only(new FakeProbes().collector("UseSerialGC", false).processors(1)
        .given("ActiveProcessorCount", "1").check(), "gc.serial");

    assertThat(finding.measured()).contains("silently", "one processor (-XX:ActiveProcessorCount=1)");
    assertThat(finding.cure()).startsWith("-XX:ActiveProcessorCount=2 or more, or name the collector: -XX:+UseG1GC");
  }

  @Test
  void serialCollectorChosenForOneProcessorNamesTheContainersShare() {
    Finding finding = only(new FakeProbes().collector("UseSerialGC", false).processors(1).containerCpus(0.5)
        .chosen("ParallelGCThreads", "0")
        .check(), "gc.serial");

    assertThat(finding.measured()).contains("silently", "one processor (the container has 0.5)");
    assertThat(finding.cure()).startsWith("give it two processors");
  }

  @Test
  void serialCollectorChosenForLittleMemoryNamesTheMemory() {
    Finding finding = only(new FakeProbes().collector("UseSerialGC", false).memory(1791).check(), "gc.serial");

    assertThat(finding.measured()).contains("silently", "1791 MiB of memory, less than 1792 MiB");
    assertThat(finding.cure()).startsWith("give it 1792 MiB or more");
  }

  @Test
  void serialCollectorChosenForNoVisibleReasonIsAMisfitAllTheSame() {
    Finding finding = only(new FakeProbes().collector("UseSerialGC", false).check(), "gc.serial");

    assertThat(finding.measured()).contains("silently", "does not take this machine for a server");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UseG1GC", "UseZGC"})
  void otherCollectorsAreFine(String collector) {
    assertThat(new FakeProbes().collector(collector, true).check().findings()).isEmpty();
  }

  /** In these versions G1 moved arrays that zstd-jni was writing to, and files of Spark could not be read. */
  @ParameterizedTest
  @ValueSource(strings = {"25", "25.0.1", "25.0.2", "25.0.2.0.1", "25-ea", "25.0.1-internal"})
  void earlyJava25WithG1MayCorruptCompressedData(String version) {
    for (boolean given : new boolean[] {false, true}) {
      Finding finding = only(new FakeProbes().property("java.version", version).collector("UseG1GC", given).check(),
          "gc.pinned");

      assertThat(finding.severity()).isEqualTo(Severity.WARNING);
      assertThat(finding.measured()).contains("Java " + version + " with G1", "JDK-8377811");
      assertThat(finding.why()).contains("zstd-jni", "corrupt");
      assertThat(finding.cure()).startsWith("Java 25.0.3 or newer, or another collector");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"17.0.18", "21.0.10", "24", "24.0.2", "25.0.3", "25.0.4", "25.0.10", "26", "26.0.1", "",
      "1.8.0_25", "twenty-five"})
  void otherVersionsWithG1AreFine(String version) {
    assertThat(new FakeProbes().property("java.version", version).check().findings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"UseZGC", "UseParallelGC", "UseSerialGC"})
  void otherCollectorsOfEarlyJava25AreFine(String collector) {
    assertThat(new FakeProbes().property("java.version", "25.0.2").collector(collector, true).processors(1).check()
        .findings()).isEmpty();
  }

  @Test
  void earlyJava25WhoseCollectorIsNotKnownSaysOnlyThat() {
    assertThat(only(new FakeProbes().property("java.version", "25").noFlags().check(), "runtime.unread")).isNotNull();
  }

  @Test
  void heapBelowTheBoundIsWorthAWordWhenNobodyHasMeasuredTheLoad() {
    Finding finding = only(new FakeProbes().heap(127, 76).check(), "heap.small");

    assertThat(finding.severity()).isEqualTo(Severity.INFO);
    assertThat(finding.measured()).contains("127 MiB", "76 MiB", "not known");
    assertThat(finding.cure()).isEqualTo("-Xmx128m or more");
  }

  @Test
  void heapOfTheBoundIsNotSmall() {
    assertThat(new FakeProbes().heap(128, 76).check().findings()).isEmpty();
  }

  @Test
  void smallHeapIsFineWhenLittleIsAllocated() {
    assertThat(new FakeProbes().heap(64, 32).allocatesPerSecond(10).check().findings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"5, -Xmx320m", "20, -Xmx1280m"})
  void collectionsAreCountedAtTheMeasuredRate(int perSecond, String cure) {
    Finding finding = only(new FakeProbes().heap(64, 32).allocatesPerSecond(32L * perSecond).check(), "gc.frequent");

    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    assertThat(finding.measured()).contains(32 * perSecond + " MiB per second", "32 MiB at most",
        "at least " + perSecond + " collections per second");
    assertThat(finding.cure()).startsWith(cure);
  }

  @Test
  void youngGenerationThatWasSetSmallIsTheCause() {
    FakeProbes probes = new FakeProbes().heap(4096, 8).given("MaxNewSize", "8388608").allocatesPerSecond(100);

    assertThat(only(probes.check(), "gc.frequent").cure()).startsWith("-Xmn112m");
  }

  @Test
  void youngGenerationWithoutABoundIsTheHeap() {
    FakeProbes probes = new FakeProbes().heap(64, 0).chosen("MaxNewSize", "18446744073709551615");

    assertThat(probes.allocatesPerSecond(319).check().findings()).isEmpty();
    assertThat(only(probes.allocatesPerSecond(320).check(), "gc.frequent").measured()).contains("64 MiB at most");
  }

  @ParameterizedTest
  @CsvSource({"1048576, 1048576, 4m", "2097152, 1048576, 4m", "1048576, 524288, 2m", "4194304, 16777216, 64m"})
  void bufferOfMoreThanHalfARegionIsHumongous(String region, int buffer, String cure) {
    Finding finding = only(new FakeProbes().chosen("G1HeapRegionSize", region)
        .check(Workload.NONE.withLargestHeapBuffer(buffer)), "gc.humongous");

    assertThat(finding.severity()).isEqualTo(Severity.INFO);
    assertThat(finding.measured()).contains(Sizes.text(buffer), Sizes.text(Long.parseLong(region)));
    assertThat(finding.cure()).startsWith("-XX:G1HeapRegionSize=" + cure + ",");
  }

  @Test
  void noBufferIsHumongousWhereThereAreNoRegionsOrNoBuffers() {
    assertThat(new FakeProbes().collector("UseZGC", true).chosen("G1HeapRegionSize", "0").check(MIB_BUFFERS).findings())
        .isEmpty();
    assertThat(new FakeProbes().chosen("G1HeapRegionSize", "1048576").check().findings()).isEmpty();
    assertThat(new FakeProbes().chosen("G1HeapRegionSize", "1048576")
        .check(Workload.NONE.withLargestHeapBuffer(500_000)).findings()).isEmpty();
  }
}
