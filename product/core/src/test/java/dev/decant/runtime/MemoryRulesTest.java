package dev.decant.runtime;

import static dev.decant.runtime.FakeProbes.MIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MemoryRulesTest {
  private static Workload pools(long mib) {
    return Workload.NONE.withDirectBytes(mib * MIB);
  }

  @Test
  void poolsBeyondTheBoundThatWasSetAreAMisfit() {
    Finding finding = new FakeProbes().given("MaxDirectMemorySize", Long.toString(32 * MIB)).check(pools(96))
        .finding("memory.direct").orElseThrow();

    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    assertThat(finding.measured()).contains("32 MiB (-XX:MaxDirectMemorySize)", "96 MiB");
    assertThat(finding.cure()).startsWith("-XX:MaxDirectMemorySize=96m or more");
  }

  /** The flag was named only in a comment of a source. */
  @Test
  void moreSocketsThanCachedNumbersAreNamedWithTheFlag() {
    Finding finding = new FakeProbes().chosen("AutoBoxCacheMax", "128").openFiles(4_011).check(Workload.NONE)
        .finding("memory.boxes").orElseThrow();
    assertThat(finding.severity()).isEqualTo(Severity.INFO);
    assertThat(finding.measured()).startsWith("4011 files and sockets are open").endsWith("up to 127");
    assertThat(finding.cure()).isEqualTo("-XX:AutoBoxCacheMax=8192");
    assertThat(new FakeProbes().given("AutoBoxCacheMax", "8192").openFiles(4_011).check(Workload.NONE).findings())
        .isEmpty();
    assertThat(new FakeProbes().given("AutoBoxCacheMax", "1024").openFiles(4_011).check(Workload.NONE).findings())
        .hasSize(1);
    assertThat(new FakeProbes().openFiles(127).check(Workload.NONE).findings()).isEmpty();
  }

  @Test
  void withoutABoundDirectMemoryIsBoundedByTheHeap() {
    Finding finding = new FakeProbes().heap(80, 40).check(pools(96)).finding("memory.direct").orElseThrow();

    assertThat(finding.measured()).contains("80 MiB (as the heap", "96 MiB");
  }

  @Test
  void poolsWithinTheBoundAreFine() {
    assertThat(new FakeProbes().heap(128, 64).check(pools(128)).findings()).isEmpty();
    assertThat(new FakeProbes().given("MaxDirectMemorySize", Long.toString(96 * MIB)).check(pools(96)).findings())
        .isEmpty();
  }

  @Test
  void heapAndPoolsBeyondTheContainersLimitAreAMisfit() {
    Finding finding = new FakeProbes().heap(1000, 600).containerMemory(1024).check(pools(96))
        .finding("memory.container").orElseThrow();

    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    assertThat(finding.measured()).contains("heap of 1000 MiB", "direct memory of 96 MiB, as pools may take",
        "limit of 1024 MiB");
    assertThat(finding.cure()).startsWith("-Xmx696m or less");
  }

  @Test
  void poolsThatLeaveNoRoomForAHeapAreToBeSmaller() {
    Finding finding = new FakeProbes().heap(256, 128).containerMemory(256).check(pools(200))
        .finding("memory.container").orElseThrow();

    assertThat(finding.cure()).isEqualTo("a higher limit, or smaller pools (decant.fetch.memory.bytes,"
        + " buffer.memory)");
  }

  @Test
  void boundThatAllowsMoreThanTheContainerIsWorthAWord() {
    Finding finding = new FakeProbes().heap(768, 400).containerMemory(1024).check(pools(96))
        .finding("memory.container").orElseThrow();

    assertThat(finding.severity()).isEqualTo(Severity.INFO);
    assertThat(finding.measured()).contains("heap of 768 MiB", "direct memory of 768 MiB (as the heap",
        "limit of 1024 MiB");
    assertThat(finding.cure()).isEqualTo("-XX:MaxDirectMemorySize=192m or less, which leaves room for stacks and code;"
        + " pools may take 96 MiB now");
  }

  /** The advice was the size of the process's first pool, which is too little for later ones. */
  @Test
  void boundToAdviseDoesNotDependOnThePoolsThatThereAre() {
    FakeProbes probes = new FakeProbes().heap(512, 300).containerMemory(768);

    assertThat(probes.check(pools(0)).finding("memory.container").orElseThrow().cure())
        .startsWith("-XX:MaxDirectMemorySize=192m or less");
    assertThat(probes.check(pools(192)).finding("memory.container").orElseThrow().cure())
        .startsWith("-XX:MaxDirectMemorySize=192m or less");
    assertThat(probes.check(pools(200)).finding("memory.container").orElseThrow().cure())
        .isEqualTo("a smaller heap (-Xmx), or a higher limit");
  }

  @Test
  void heapAndBoundWithinTheContainersLimitAreFine() {
    assertThat(new FakeProbes().heap(512, 300).containerMemory(1024).check(pools(96)).findings()).isEmpty();
    assertThat(new FakeProbes().heap(768, 400).given("MaxDirectMemorySize", Long.toString(128 * MIB))
        .containerMemory(1024).check(pools(96)).findings()).isEmpty();
  }

  @Test
  void negativeSizesAreRefusedByName() {
    assertThatThrownBy(() -> Workload.NONE.withDirectBytes(-1)).hasMessage("directBytes: -1 is negative");
    assertThatThrownBy(() -> Workload.NONE.withLargestHeapBuffer(-1)).hasMessage("largestHeapBuffer: -1 is negative");
  }
}
