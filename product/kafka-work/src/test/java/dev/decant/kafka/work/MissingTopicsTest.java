package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.bridge.TopicAccess;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A main topic that does not exist is a problem of the work, and no silence. */
@Timeout(60)
class MissingTopicsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

  /** The partitions of the topics that exist. */
  private final Map<String, Integer> existing = new HashMap<>(Map.of("orders", 1));
  private final List<String> asked = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final WorkListeners listeners = new WorkListeners(List.of(new WorkListener() {
    @Override
    public void onProblem(String what, Throwable error) {
      problems.add(what);
    }
  }));
  /** Tasks that wait for the thread that asks the brokers. */
  private final List<Runnable> elsewhere = new ArrayList<>();
  private boolean areBrokersAway;

  private final MissingTopics topics = new MissingTopics(List.of("orders", "refunds"), Access::new,
      new StageOrder.Runs() {
        @Override
        public void elsewhere(Runnable task) {
          elsewhere.add(task);
        }

        @Override
        public void onLoop(Runnable task) {
          task.run();
        }

        @Override
        public void close() {}
      }, listeners, 0);

  private final class Access implements TopicAccess {
    @Override
    public int partitions(String topic, Duration timeout) {
      if (areBrokersAway) {
        throw new KafkaException(ErrorCode.NETWORK_EXCEPTION, "away");
      }
      asked.add(topic);
      return existing.getOrDefault(topic, 0);
    }

    @Override
    public Map<String, String> settings(String topic, List<String> names, Duration timeout) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void create(String topic, int partitions, int replicas, Duration retention, Duration timeout) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  /** Looks at a time, and has the brokers answer if they were asked. */
  private void look(List<TopicPartition> assigned, long seconds) {
    topics.step(assigned, seconds * SECOND);
    elsewhere.forEach(Runnable::run);
    elsewhere.clear();
  }

  @Test
  void aTopicWithoutAPartitionIsAskedForAfterTheDeadlineAndNamed() {
    look(List.of(ORDERS), 9);
    assertThat(asked).isEmpty();
    look(List.of(ORDERS), 10);
    assertThat(asked).containsExactly("refunds");
    assertThat(listeners.problem()).startsWith("the topic refunds does not exist, so nothing of it is read");
    look(List.of(ORDERS), 20);
    assertThat(problems).as("said once").hasSize(1);

    existing.put("refunds", 1);
    look(List.of(ORDERS), 30);
    assertThat(listeners.problem()).isNull();
  }

  @Test
  void topicsWhosePartitionsOthersHaveAreNoProblem() {
    existing.put("refunds", 3);
    look(List.of(), 10);
    look(List.of(), 20);
    assertThat(asked).as("the next question is later").containsExactly("orders", "refunds");
    look(List.of(), 310);
    assertThat(asked).hasSize(4);
    assertThat(listeners.problem()).isNull();
  }

  @Test
  void aTopicThatIsDeletedLaterIsNamed() {
    existing.put("refunds", 1);
    TopicPartition refunds = new TopicPartition("refunds", 0);
    look(List.of(ORDERS, refunds), 10);
    assertThat(topics.dueNanos()).isEqualTo(DueSlots.NEVER);
    existing.clear();
    topics.assignmentChanged(100 * SECOND);
    look(List.of(), 109);
    assertThat(problems).isEmpty();
    look(List.of(), 110);
    assertThat(problems).singleElement().asString().startsWith("the topics orders, refunds do not exist");
    topics.assignmentChanged(120 * SECOND);
    look(List.of(ORDERS, refunds), 130);
    assertThat(listeners.problem()).isNull();
  }

  @Test
  void brokersThatAreAwayAreAskedAgain() {
    areBrokersAway = true;
    look(List.of(ORDERS), 10);
    assertThat(listeners.problem()).isNull();
    assertThat(topics.dueNanos()).isEqualTo(20 * SECOND);
    areBrokersAway = false;
    look(List.of(ORDERS), 20);
    assertThat(listeners.problem()).contains("refunds");
  }

  @Test
  void aWorkOnATopicThatDoesNotExistIsNotHealthy() throws Exception {
    // The work was healthy, and its status had no problem.
    AtomicLong ahead = new AtomicLong();
    Clock clock = new Clock() {
      @Override
      public long nanoTime() {
        return Clock.system().nanoTime() + ahead.get();
      }

      @Override
      public long epochMillis() {
        return Clock.system().epochMillis();
      }
    };
    CompletableFuture<String> problem = new CompletableFuture<>();
    try (FakeCluster kafka = FakeCluster.builder().inMemory().topic("orders", 1).setting("auto.create.topics.enable",
        "false").start();
        KafkaClient client = KafkaClient.connect(kafka.bootstrap());
        Work work = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("ordres").clock(clock)
            .listener(new WorkListener() {
              @Override
              public void onProblem(String what, Throwable error) {
                problem.complete(what);
              }
            }).open(record -> {})) {
      assertThat(work.status().isHealthy()).isTrue();
      ahead.set(11 * SECOND);
      assertThat(work.status().failure()).isNull(); // the loop looks at the time
      assertThat(problem.get(20, TimeUnit.SECONDS)).startsWith("the topic ordres does not exist");
      assertThat(work.status().isHealthy()).isFalse();

      kafka.createTopic("ordres", 1);
      ahead.set(40 * SECOND);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!work.status().isHealthy()) {
        assertThat(System.nanoTime() - end).as(work.status().toString()).isNegative();
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
