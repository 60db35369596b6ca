package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests wrong usage of the commands that measure. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CommandUsageTest {
  private final CommandLines lines = new CommandLines();

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"alloc --clients netty | --clients", "alloc --records 0 | --records",
          "alloc --record-size 0 | --record-size",
          "alloc --brokers 2 | --brokers",
          "alloc --assert nothing | is no bar", "alloc --assert netty.collections<=0 | no client netty",
          "wait --assert netty.p50_us<=1 | no client netty", "wait --rounds 0 | --rounds", "wait --polls 5 | --polls",
          "wait --live-port 65536 | --live-port", "gc --live-port x | --live-port",
          "carriers --live-port -1 | --live-port",
          "poll --sizes 0 | --sizes",
          "wait --client-config x | --client-config needs --bootstrap",
          "wait --bootstrap localhost:1 --client-config no/such.properties | no/such.properties: there is no such file",
          "poll --modes fast | --modes", "poll --assert netty.p50_us<=1 | no client netty",
          "poll --feed-rate 0 | --feed-rate", "gc --clients librdkafka | --clients",
          "gc --collectors shenandoah | --collectors", "gc --flags g1=-Xmn1m | --flags",
          "gc --flags nothing | --flags", "gc --improvement decant-g1 | --improvement",
          "gc --improvement decant-g1,netty | --improvement", "gc --scenario juggle | juggle",
          "gc --scenario produce-garbage --improvement a,b | --improvement",
          "compare decant | B", "compare decant librdkafka | librdkafka",
          "compare decant:2 decant | decant-kafka-2.jar is not in the local Maven repository",
          "compare decant kafka-clients:0.0.1 | mvn dependency:get -Dartifact=org.apache.kafka:kafka-clients:0.0.1",
          "compare decant decant --margin 0 | --margin", "compare decant decant --metrics speed | no metric speed",
          "compare decant decant --scenario juggle | juggle",
          "compare decant decant,colour=red | no key colour",
          "compare decant,java=/nowhere decant | java: there is no /nowhere", "broker --brokers 2 | --brokers",
          "broker --port 65536 | --port", "broker --port -1 | --port must be 1 to 65535, or 0 for free ports, not -1",
          "broker --topic t=0 | --topic", "broker --topic a/b=1 | a/b",
          "broker --topic .=1 | a name has 1 to 249 characters", "report | FILE",
          "report no/such.json | no such file",
          "gc --scenario produce-garbge | did you mean produce-garbage?", "strss | did you mean stress?",
          "alloc --recods 5 | did you mean --records"})
  void wrongUsageIsOneLineThatNamesItAndStartsNothing(String arguments, String named) {
    assertThat(lines.run(arguments.split(" ", -1))).as(lines.err()).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).contains(named).startsWith("decant: ").hasLineCount(1);
    assertThat(lines.out()).isEmpty();
  }

  @Test
  void helpOfEveryCommandHasItsOptions() {
    for (String command : new String[] {"alloc", "wait", "poll", "gc", "compare"}) {
      assertThat(lines.run(command, "--help")).isZero();
      assertThat(lines.out()).as(command).contains("decant " + command, "--quick", "--assert", "--rounds", "--jvm-arg",
          "--out", "--live", "--live-port", "--client-config");
    }
  }

  @Test
  void examplesNameTheProgramThatRuns() {
    System.setProperty("decant.command", "java -jar decant.jar");
    try {
      assertThat(lines.run("list", "--help")).isZero();
      assertThat(lines.out()).contains("java -jar decant.jar list produce-100").doesNotContain("./decant");
    } finally {
      System.clearProperty("decant.command");
    }
  }
}
