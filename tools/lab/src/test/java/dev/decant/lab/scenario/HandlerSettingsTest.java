package dev.decant.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlerSettingsTest {
  private static final String WORK = """
      title = T
      clients = decant, decant-virtual, parallel-consumer, spring-kafka, kafka-clients, jdk-threads
      work = work-key
      work @ jdk-threads = handlers
      keys = 50
      keys.hot.percent = 20
      threads = 100
      threads @ spring-kafka = 6
      thread.kind @ decant-virtual = virtual
      handler.ms = 1
      topic.records = 40
      warm-up = 10
      records = 20
      """;

  private static Scenario parse(String text) {
    return ScenarioFile.parse("mine", "mine", text);
  }

  @Test
  void eachClientHasKeysAndHandlersAndReadsTheSameTopic() {
    Scenario scenario = parse(WORK);

    WorkSpec ours = scenario.contenders().getFirst().spec(false, 1);
    assertThat(ours.load().keys()).isEqualTo(new WorkSpec.Keys(50, 20));
    assertThat(ours.load().handlers()).isEqualTo(new WorkSpec.Handlers("key", 1, 0, 0));
    assertThat(scenario.contenders().get(1).spec(false, 1).load().virtual()).isTrue();
    assertThat(scenario.contenders().get(2).spec(false, 1).client()).isEqualTo(WorkSpec.PARALLEL_CONSUMER);
    assertThat(scenario.contenders().get(3).spec(false, 1).client()).isEqualTo(WorkSpec.SPRING_KAFKA);
    assertThat(scenario.contenders().get(3).spec(false, 1).load().threads()).isEqualTo(6);
    WorkSpec filling = scenario.contenders().getFirst().filling(false, 1);
    assertThat(filling.load().keys()).isEqualTo(ours.load().keys());
    assertThat(scenario.contenders().subList(0, 5)).allSatisfy(
        contender -> assertThat(contender.filling(false, 1)).isEqualTo(filling));
    WorkSpec control = scenario.contenders().getLast().spec(false, 1);
    assertThat(control.work()).isEqualTo(WorkKind.named("handlers"));
    assertThat(control.load().handlers().millis()).isEqualTo(1);
  }

  @Test
  void aConsumerThatReadsTheSameRecordsReadsTheSameTopic() {
    Scenario scenario = parse(WORK.replace("jdk-threads", "decant-consume").replace("= handlers", "= consume"));

    assertThat(scenario.contenders().getLast().filling(false, 1))
        .isEqualTo(scenario.contenders().getFirst().filling(false, 1));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "keys = 50|keys = 0|line 5: keys: must be 1 to 1000000",
      "keys = 50||keys: is missing",
      "handler.ms = 1||handler.ms: is missing",
      "handler.ms = 1|handler.ms = 1\\norder = colour|line 11: order: must be key or partition or none",
      "records = 20||records: say how much is measured",
      "records = 20|seconds = 2|records: the work work-key ends after a number of records",
      "records = 20|records = 21|line 11: topic.records: three quarters of 40 are fewer than the 10 of the",
      "keys = 50|keys = 50\\nhandler.fail.percent = 1|line 6: handler.fail.percent: the work work-retry has failures",
      "work = work-key|work = work-retry|handler.fail.percent: is missing",
      "work = work-key|work = produce|topic.records: the works consume, cold-start, work-key and work-retry need it",
  })
  void aMistakeIsRefusedWithItsLine(String found, String replacement, String message) {
    String lines = replacement == null ? "" : replacement.replace("\\n", "\n") + "\n";

    assertThatThrownBy(() -> parse(WORK.replace("\n" + found + "\n", "\n" + lines)))
        .isInstanceOf(ScenarioException.class).hasMessageContaining(message);
  }

  @Test
  void handlersAreCalledBySomeClientsOnly() {
    for (String client : new String[] {"decant-apache", "agent"}) {
      assertThatThrownBy(() -> parse(WORK.replace("decant-virtual", client))).isInstanceOf(ScenarioException.class)
          .hasMessage("mine, line 3: work: work-key is a work of decant, kafka-clients, parallel-consumer and"
              + " spring-kafka");
    }
  }

  @Test
  void whatIsNoClientHasNoOtherWork() {
    String text = "title = T\nclients = spring-kafka\nwork = produce\nrecords = 1\n";

    assertThatThrownBy(() -> parse(text)).isInstanceOf(ScenarioException.class)
        .hasMessage("mine, line 3: work: work-key, work-retry and work-paced are the works of the client"
            + " spring-kafka, which has no other");
  }

  @Test
  void failingHandlersTakeTimeAndARateNeedsNoTopic() {
    String failing = WORK.replace("work = work-key", "work = work-retry\nhandler.fail.percent = 1");
    assertThat(parse(failing).contenders().getFirst().spec(false, 1).load().handlers().failPercent()).isEqualTo(1);
    assertThatThrownBy(() -> parse(failing.replace("handler.ms = 1", "handler.ms = 0")))
        .hasMessageContaining("handler.ms: a handler that fails takes 1 ms at least");
    String paced = WORK.replace("work = work-key", "work = work-paced").replace("topic.records = 40\n", "");
    assertThatThrownBy(() -> parse(paced)).hasMessageContaining("rate: is missing");
    assertThat(parse(paced + "rate = 7\n").work()).isEqualTo(WorkKind.named("work-paced"));
  }
}
