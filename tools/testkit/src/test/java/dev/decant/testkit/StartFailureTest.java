package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StartFailureTest {
  private static final Path HOME = Path.of("somewhere");

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "java.io.IOException: No space left on device | no space is left for its files in somewhere; free some",
      "Caused by: java.net.BindException: Address already in use | a port is taken by another process; name another",
      "Unrecognized VM option 'UseTheForce' | its JVM says \"Unrecognized VM option 'UseTheForce'\"; see jvmArguments",
      "Error occurred during initialization of VM Could not reserve enough space | has no memory for its JVM; give",
      "x.ConfigException: Invalid value 0 for it. | it does not take a setting: Invalid value 0 for it; see setting",
      "java.lang.IllegalStateException: no. | java.lang.IllegalStateException: no",
      "INFO nothing bad | its JVM has ended"})
  void theCauseInTheLogIsToldInOneLineWithACure(String line, String told) {
    List<String> log = List.of("WARN begins", line, "\tat kafka.Exceptions.stack(Frame.scala)");

    assertThat(StartFailure.cause(log, HOME, "its JVM has ended")).hasLineCount(1).contains(told);
  }

  @Test
  void aPortThatIsTakenIsNamedBeforeABrokerStarts() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      KafkaClusterBuilder builder = KafkaCluster.builder().firstPort(taken.getLocalPort());

      assertThatThrownBy(builder::start).isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("port " + taken.getLocalPort() + " is taken: ")
          .hasMessageEndingWith("; name another with firstPort(port), or none to get free ones");
    }
  }

  @Test
  void aDiskWithoutRoomIsNamedBeforeABrokerStarts() {
    assertThatThrownBy(() -> LogDirectory.requireRoom(HOME, 3 << 20)).isInstanceOf(ClusterException.class)
        .hasMessage("no room for brokers: 3 MiB are left in somewhere, and 128 MiB are needed; free some, or name"
            + " another place with -Djava.io.tmpdir=PATH");
    assertThatCode(() -> LogDirectory.requireRoom(HOME, 1L << 40)).doesNotThrowAnyException();
  }

  @Test
  void aRuntimeWithoutLauncherIsNamedWithACure(@TempDir Path runtime) {
    assertThatThrownBy(() -> ChildJvm.launcher(runtime, "broker 1")).isInstanceOf(ClusterException.class)
        .hasMessage("no JVM for broker 1: there is no program java in " + runtime.resolve("bin")
            + "; run the tests on a complete JDK, not on a runtime image without launchers");
    assertThat(ChildJvm.launcher(Path.of(System.getProperty("java.home")), "broker 1")).isExecutable();
  }

  @Test
  void aFlagThatTheJvmOfABrokerRefusesIsNamed() {
    assertThatThrownBy(() -> KafkaCluster.builder().jvmArguments(List.of("-XX:+UseTheForce")).start())
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("broker 1 does not start: its JVM says \"Unrecognized VM option 'UseTheForce'\"")
        .hasMessageContaining("; the end of its log:\n");
  }

  @Test
  void aBrokerThatIsNotReadyInTimeIsToldWithTheTimeAndACure() {
    assertThatThrownBy(() -> KafkaCluster.builder().timeout(Duration.ofMillis(1)).start())
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("broker 1 does not start: it does not serve within 0 s; give a busy machine more");
  }
}
