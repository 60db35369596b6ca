package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that each runtime in this JVM handles all records of a fake cluster in order, without regard to speed. */
@Timeout(120)
@FakeKafka
class HandlerRuntimeTest {
  private static final int RECORDS = 200;
  private static final int PARTITIONS = 2;

  private static WorkSpec spec(FakeCluster kafka, String client, WorkKind work, WorkSpec.Handlers handlers) {
    WorkSpec.Load load = new WorkSpec.Load(50, "random", 2, false, 400, 1, 0, new WorkSpec.Keys(20, 20), handlers);
    return new WorkSpec(client, work, WorkSpec.Access.plain(kafka.bootstrap()), WorkSpec.Topics.one(PARTITIONS), load,
        new WorkSpec.Amount(40, RECORDS - 40, 0, RECORDS), Map.of(), Map.of())
        .on(WorkSpec.Access.plain(kafka.bootstrap()), client + "-" + work.label());
  }

  private static Map<String, Double> figures(Work work, long records) {
    Map<String, Double> figures = new HashMap<>();
    work.figures(records, figures);
    return figures;
  }

  @ParameterizedTest
  @ValueSource(strings = {WorkSpec.DECANT, WorkSpec.PARALLEL_CONSUMER, WorkSpec.SPRING_KAFKA, WorkSpec.PEER})
  void eachRecordIsHandledInOrderThoughSomeFail(String client, FakeCluster kafka) throws Exception {
    WorkSpec spec = spec(kafka, client, WorkKind.named("work-retry"), new WorkSpec.Handlers("key", 1, 3, 1));
    kafka.createTopic(spec.topic(), PARTITIONS);
    try (FillKeyed fill = new FillKeyed(
        new WorkSpec(WorkSpec.DECANT, WorkKind.named("produce"), spec.access(), spec.topics(),
            spec.load(), spec.amount(), Map.of(), Map.of()))) {
      assertThat(fill.run(RECORDS, Long.MAX_VALUE / 2)).isEqualTo(RECORDS);
    }

    try (HandleRecords work = new HandleRecords(spec)) {
      work.run(RECORDS, System.nanoTime() + (1L << 62));

      assertThat(work.progress()).isEqualTo(RECORDS);
      assertThat(figures(work, RECORDS)).containsEntry("misordered_records", 0.0)
          .containsEntry("failed_attempts", 2.0 * 2 * 3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {WorkSpec.DECANT, WorkSpec.PARALLEL_CONSUMER})
  void recordsAtARateAreHandledInTheJvmThatSendsThem(String client, FakeCluster kafka) throws Exception {
    WorkSpec spec = spec(kafka, client, WorkKind.named("work-paced"), new WorkSpec.Handlers("partition", 1, 0, 0));
    kafka.createTopic(spec.topic(), PARTITIONS);

    try (HandlePaced work = new HandlePaced(spec)) {
      assertThat(work.run(100, System.nanoTime() + (1L << 62))).isEqualTo(100);

      assertThat(work.latency().getTotalCount()).isBetween(50L, 99L);
      assertThat(figures(work, 100)).containsEntry("misordered_records", 0.0).containsKey("hot_key_p99_us");
    }
  }
}
