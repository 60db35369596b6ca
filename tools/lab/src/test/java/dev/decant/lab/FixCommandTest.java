package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.lab.jvm.FakeJava;
import dev.decant.lab.jvm.JavaRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 300, unit = TimeUnit.SECONDS)
class FixCommandTest {
  private final CommandLines lines = new CommandLines();

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"--engines onix | onix", "--store disk | disk", "--work there | there",
          "--modes three-cpus | three-cpus",
          "--messages 0 | --messages", "--rate 0 | --rate", "--rounds 0 | --rounds", "--colour red | --colour",
          "--java /nowhere | there is no /nowhere", "--epsilon --java /nowhere | --epsilon",
          "acceptor --time-precision DAYS | DAYS", "acceptor --port x | --port"})
  void wrongUsageIsOneLineThatNamesItAndStartsNothing(String arguments, String named) {
    assertThat(lines.run(("fix " + arguments).split(" ", -1))).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).contains(named).startsWith("decant: ").hasLineCount(1);
    assertThat(lines.out()).isEmpty();
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(lines.run("fix", "--help")).isZero();
    assertThat(lines.out()).contains("--engines", "--store", "--work", "--modes", "--messages", "--rate", "--epsilon",
        "--rounds", "--quick", "--assert", "--jvm-arg", "--java", "--out", "--json", "acceptor");
  }

  /** Lets each contender send a few hundred orders there and back. */
  @Tag("full")
  @Test
  void everyContenderTakesItsTurn(@TempDir Path directory) throws IOException {
    int code = lines.run("fix", "--quick", "--messages", "300", "--modes", "two-cpus-blocking", "--work",
        "round-trips", "--jvm-arg", "-XX:TieredStopAtLevel=1", "--out", directory.toString());

    assertThat(code).as(lines.err()).isZero();
    assertThat(lines.out()).contains("bare-socket", "decant-memory", "decant-file", "decant-async", "philadelphia",
        "quickfixj-memory", "bytes by thread");
    JsonNode result = new ObjectMapper().readTree(directory.resolve("result.json").toFile());
    assertThat(result.toString()).contains("decant-async", "allocated_bytes");
    assertThat(directory.resolve("report.html")).exists();
  }

  @Tag("full")
  @Test
  void anEngineRunsOnAnotherJvmBesideTheLabsOwn(@TempDir Path directory) throws IOException {
    FakeJava.write(directory.resolve("jvm"), "99.0.1+7", "143.0");
    int code = lines.run("fix", "--quick", "--messages", "300", "--modes", "two-cpus-blocking", "--work",
        "round-trips", "--engines", "decant", "--store", "memory", "--java", directory.resolve("jvm").toString(),
        "--out", directory.resolve("result").toString());

    assertThat(code).as(lines.err()).isZero();
    assertThat(lines.out()).contains("decant-memory, " + JavaRuntime.own().title(), "decant-memory, Java 99.0.1+7",
        "allocated_bytes <= 0 on Java 99.0.1+7");
    JsonNode rows = new ObjectMapper().readTree(directory.resolve("result/result.json").toFile()).get("rows");
    assertThat(rows.findValuesAsText("java_version")).containsExactly(JavaRuntime.own().version(), "99.0.1+7");
    assertThat(rows.findValuesAsText("engine")).containsExactly("decant-memory", "decant-memory");
  }

  @Test
  void aJvmOfTheSameVersionIsMeasuredOnce() {
    assertThat(lines.run("fix", "--java", System.getProperty("java.home"))).isEqualTo(Decant.USAGE);
    assertThat(lines.err().strip()).contains("which is measured already").startsWith("decant: --java").hasLineCount(1);
  }

  @Test
  void ordersGoOneWayAndIntoALog(@TempDir Path directory) {
    int code = lines.run("fix", "--quick", "--messages", "300", "--modes", "two-cpus-blocking", "--work",
        "one-way,round-trips-logged", "--engines", "decant", "--store", "memory", "--jvm-arg",
        "-XX:TieredStopAtLevel=1", "--out", directory.toString());

    assertThat(code).as(lines.err()).isZero();
    assertThat(lines.out()).contains("one-way, two CPUs, blocking", "round-trips-logged, two CPUs, blocking");
  }

  @Tag("full")
  @Test
  void decantWorksWithACollectorThatNeverCollects(@TempDir Path directory) {
    int code = lines.run("fix", "--epsilon", "--messages", "2000", "--store", "memory", "--out", directory.toString());

    assertThat(code).as(lines.err()).isZero();
    assertThat(lines.out()).contains("decant-memory");
  }
}
