package dev.decant.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.jvm.FakeJava;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import dev.decant.lab.scenario.ScenarioException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SideTest {

  @Test
  void aSideIsAClientAVersionAndSettings() {
    Side side = Side.parse("kafka-clients:4.1.0,producer.linger.ms=5,jvm=-Xlog:gc,safepoint -XX:+UseZGC");

    assertThat(side.client()).isEqualTo("kafka-clients");
    assertThat(side.version()).isEqualTo("4.1.0");
    assertThat(side.settings())
        .isEqualTo(Map.of("producer.linger.ms", "5", "jvm", "-Xlog:gc,safepoint -XX:+UseZGC"));
    assertThat(Side.parse("decant").settings()).isEmpty();
    assertThat(Side.parse("decant:0.1.0-before").version()).isEqualTo("0.1.0-before");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"librdkafka | is nothing to compare", "kafka-clients: | is nothing to compare",
          "decant,linger | is nothing to compare",
          "decant,threads=1,threads=2 | threads twice"})
  void whatIsNoSideIsRefused(String text, String why) {
    assertThatThrownBy(() -> Side.parse(text)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text.split(",", 2)[0]).hasMessageContaining(why).message().hasLineCount(1);
  }

  @Test
  void bothSidesDoTheWorkOfAScenarioWithTheirOwnSettings() {
    String text = Side.scenario(ScenarioCatalog.named("consume-paced"), Side.parse("decant,feed.rate=7"),
        Side.parse("kafka-clients:4.4.0,consumer.group.protocol=consumer"));

    Scenario made = ScenarioCatalog.made("compare", text);

    assertThat(made.clients()).containsExactly("decant-a", "kafka-clients-b");
    assertThat(made.bars()).isEmpty();
    assertThat(made.contenders().getFirst().settings()).containsEntry("feed.rate", "7");
    WorkSpec control = made.contenders().get(1).spec(false, 1);
    assertThat(control.client()).isEqualTo("kafka-clients-4.4.0");
    assertThat(control.consumer()).containsEntry("group.protocol", "consumer");
    assertThat(control.amount()).isEqualTo(ScenarioCatalog.named("consume-paced").contenders().getFirst().spec(false, 1)
        .amount());
  }

  @Test
  void aSideRunsOnAnotherJvm(@TempDir Path home) throws IOException {
    Path program = FakeJava.write(home, "99.0.1+7", "143.0");
    Scenario made = ScenarioCatalog.made("compare", Side.scenario(ScenarioCatalog.named("produce-100"),
        Side.parse("decant,java=" + home + ",jvm=-Xmx256m"), Side.parse("decant")));

    assertThat(made.contenders().getFirst().java()).isEqualTo(new JavaRuntime(program, "99.0.1+7", "Fake VM", 143));
    assertThat(made.contenders().get(1).java()).as("the lab's own").isNull();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"17.0.1 | 61.0 | Decant needs Java 21 or newer",
      "20.0.1 | 64.0 | Decant needs Java 21 or newer"})
  void aJvmThatIsTooOldIsRefusedBeforeAnythingStarts(String version, String classFiles, String why,
      @TempDir Path home) throws IOException {
    FakeJava.write(home, version, classFiles);
    String text = Side.scenario(ScenarioCatalog.named("produce-100"), Side.parse("decant,java=" + home),
        Side.parse("decant"));

    assertThatThrownBy(() -> ScenarioCatalog.made("compare", text)).isInstanceOf(ScenarioException.class)
        .hasMessageContaining(home.toString()).hasMessageContaining(why).message().hasLineCount(1);
  }

  @Test
  void anotherBuildOfDecantIsAClientOfItsOwn() {
    Scenario made = ScenarioCatalog.made("compare", Side.scenario(ScenarioCatalog.named("produce-100"),
        Side.parse("decant:0.1.0-before"), Side.parse("decant")));

    WorkSpec before = made.contenders().getFirst().spec(false, 1);
    assertThat(before.client()).isEqualTo("decant-0.1.0-before");
    assertThat(made.contenders().get(1).spec(false, 1).client()).isEqualTo(WorkSpec.DECANT);
  }
}
