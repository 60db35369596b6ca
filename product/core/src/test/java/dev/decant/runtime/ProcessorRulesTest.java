package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessorRulesTest {
  private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";
  private static final Workload ON_VIRTUAL_THREADS = Workload.NONE.withVirtualThreads(true);

  private static FakeProbes fitting(int processors) {
    String count = Integer.toString(processors);
    return new FakeProbes().processors(processors).chosen("ParallelGCThreads", count);
  }

  @Test
  void threadsBeyondTheContainersShareAreNamedWithTheFlagOfEach() {
    Finding finding = fitting(8).chosen("ConcGCThreads", "3").containerCpus(1.5).property(PARALLELISM, "8").check()
        .finding("cpu.quota").orElseThrow();

    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    assertThat(finding.measured()).isEqualTo("the container may use 1.50 processors, but the JVM counts with 8"
        + " processors, ParallelGCThreads is 8, ConcGCThreads is 3, there are 8 carrier threads");
    assertThat(finding.cure()).startsWith("-XX:ActiveProcessorCount=2 -XX:ParallelGCThreads=2 -XX:ConcGCThreads=2 -D"
        + PARALLELISM + "=2, or a higher limit");
  }

  @Test
  void collectorThreadsAloneAreEnoughForAMisfit() {
    assertThat(fitting(2).given("ParallelGCThreads", "8").containerCpus(2).check().findings()).singleElement()
        .satisfies(finding -> assertThat(finding.measured()).endsWith("but ParallelGCThreads is 8"));
  }

  @Test
  void jvmThatHasSeenTheContainersShareFits() {
    assertThat(fitting(2).containerCpus(1.5).check().findings()).isEmpty();
    assertThat(fitting(1).containerCpus(0.2).check().findings()).isEmpty();
    assertThat(fitting(8).check().findings()).isEmpty();
  }

  @Test
  void fewerCarriersThanProcessorsAreAMisfit() {
    RuntimeCheck check = fitting(2).property(PARALLELISM, "1").check();

    assertThat(check.findings()).extracting(Finding::id).containsExactly("carriers.few", "carriers.pollers");
    assertThat(check.finding("carriers.few").orElseThrow().measured()).contains("1 of 2 processors");
    assertThat(check.finding("carriers.few").orElseThrow().cure()).startsWith("-D" + PARALLELISM + "=2");
  }

  @Test
  void smallPoolOfCarriersLowersTheirNumber() {
    FakeProbes probes = fitting(4).property("jdk.virtualThreadScheduler.maxPoolSize", "2");

    assertThat(probes.check().finding("carriers.few").orElseThrow().measured()).contains("2 of 4 processors");
    assertThat(probes.property("jdk.virtualThreadScheduler.maxPoolSize", "256").check().findings()).isEmpty();
  }

  @Test
  void moreCarriersThanProcessorsAreWorthAWord() {
    Finding finding = fitting(2).property(PARALLELISM, "16").check().finding("carriers.many").orElseThrow();

    assertThat(finding.severity()).isEqualTo(Severity.INFO);
    assertThat(finding.measured()).contains("16 carrier threads", "2 processors");
    assertThat(finding.cure()).isEqualTo("-D" + PARALLELISM + "=2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4", "many", ""})
  void carriersAsManyAsProcessorsAreFineAndWhatIsNoNumberIsTheJvmsBusiness(String parallelism) {
    assertThat(fitting(4).property(PARALLELISM, parallelism).check().findings()).isEmpty();
  }

  @Test
  void virtualPollersMatterToApplicationsOnVirtualThreads() {
    assertThat(fitting(4).check().findings()).isEmpty();

    Finding finding = fitting(4).check(ON_VIRTUAL_THREADS).finding("carriers.pollers").orElseThrow();
    assertThat(finding.severity()).isEqualTo(Severity.INFO);
    assertThat(finding.measured()).contains("-Djdk.pollerMode=2, the default");
    assertThat(finding.cure()).startsWith("-Djdk.pollerMode=1");
  }

  @ParameterizedTest
  @CsvSource({"1, Linux, false", "SYSTEM_THREADS, Linux, false", "2, Linux, true", "vthread_pollers, Mac OS X, true"})
  void pollerModeThatIsSetDecides(String mode, String system, boolean found) {
    RuntimeCheck check = fitting(4).property("os.name", system).property("jdk.pollerMode", mode)
        .check(ON_VIRTUAL_THREADS);

    assertThat(check.finding("carriers.pollers").isPresent()).isEqualTo(found);
  }

  @Test
  void otherSystemsHavePlatformPollersByDefault() {
    assertThat(fitting(4).property("os.name", "Mac OS X").check(ON_VIRTUAL_THREADS).findings()).isEmpty();
  }
}
