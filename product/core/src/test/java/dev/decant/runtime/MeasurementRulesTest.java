package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeasurementRulesTest {
  @Test
  void interpreterIsNamedAndTiersAreNotHeldAgainstIt() {
    RuntimeCheck check = new FakeProbes().property("java.vm.info", "interpreted mode, sharing")
        .given("TieredStopAtLevel", "1").check();

    assertThat(check.findings()).extracting(Finding::id).containsExactly("jvm.interpreted");
    assertThat(check.findings().getFirst().cure()).isEqualTo("drop -Xint");
  }

  @Test
  void compilationThatStopsEarlyIsNamedWithItsLevel() {
    Finding finding = new FakeProbes().given("TieredStopAtLevel", "1").check().finding("jvm.tiers").orElseThrow();

    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    assertThat(finding.measured()).contains("level 1 of 4");
    assertThat(finding.cure()).isEqualTo("drop -XX:TieredStopAtLevel=1");
    assertThat(new FakeProbes().given("TieredStopAtLevel", "4").check().findings()).isEmpty();
  }

  @Test
  void agentsAreNamedWithoutTheirOptions() {
    RuntimeCheck check = new FakeProbes().arguments("-Xmx1g", "-javaagent:/opt/apm.jar=licence=secret",
        "-agentlib:jdwp=transport=dt_socket", "-agentpath:/opt/native.so=password", "-Xrunold:secret").check();

    assertThat(check.findings()).extracting(Finding::id).containsExactly("jvm.agents");
    assertThat(check.findings().getFirst().measured())
        .isEqualTo("agents are loaded: -javaagent:/opt/apm.jar -agentlib:jdwp -agentpath:/opt/native.so -Xrunold");
    assertThat(new FakeProbes().arguments("-Xmx1g", "-Dname=-javaagent:").check().findings()).isEmpty();
  }

  /** A program under Decant's agent got the advice to measure without it. */
  @Test
  void decantsOwnAgentIsNoFinding() {
    assertThat(new FakeProbes().arguments("-javaagent:decant-agent.jar",
        "-javaagent:/opt/app/decant-agent-0.1.0-SNAPSHOT.jar=include=*;org.apache.kafka.streams.*,log=all",
        "-javaagent:C:\\app\\decant-agent-all.jar").check().findings()).isEmpty();
    assertThat(new FakeProbes().arguments("-javaagent:decant-agent.jar", "-javaagent:/opt/decant-agent/apm.jar=key")
        .check().findings()).extracting(Finding::measured)
        .containsExactly("agents are loaded: -javaagent:/opt/decant-agent/apm.jar");
  }

  @Test
  void flagsThatWatchTheJvmAreNamed() {
    Finding finding = new FakeProbes()
        .arguments("-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintInlining", "-XX:+PrintInlining", "-Xcheck:jni")
        .given("PrintInlining", "true").given("CheckJNICalls", "true").given("NativeMemoryTracking", "detail")
        .property("java.vm.info", "compiled mode, sharing").check().finding("jvm.debugging").orElseThrow();

    assertThat(finding.severity()).isEqualTo(Severity.INFO);
    assertThat(finding.cure())
        .isEqualTo("drop -XX:+PrintInlining -Xcheck:jni -Xcomp -XX:NativeMemoryTracking=detail");
  }

  @Test
  void debuggingFlagThatALaterArgumentSwitchesOffIsSilent() {
    assertThat(new FakeProbes().arguments("-XX:+PrintCompilation", "-XX:-PrintCompilation")
        .given("PrintCompilation", "false").check().findings()).isEmpty();
    assertThat(new FakeProbes().arguments("-XX:+UnlockDiagnosticVMOptions").check().findings()).isEmpty();
    assertThat(new FakeProbes().given("NativeMemoryTracking", "off").check().findings()).isEmpty();
  }

  @Test
  void jvmWhoseFlagsCannotBeReadSaysSoAndNothingElse() {
    Finding finding = new FakeProbes().noFlags().check(Workload.NONE.withDirectBytes(Long.MAX_VALUE)
        .withLargestHeapBuffer(Integer.MAX_VALUE)).findings().getFirst();

    assertThat(finding.id()).isEqualTo("runtime.unread");
    assertThat(finding.cure()).contains("jlink --add-modules jdk.management");
  }
}
