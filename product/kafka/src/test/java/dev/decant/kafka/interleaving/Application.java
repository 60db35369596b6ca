package dev.decant.kafka.interleaving;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.RebalanceListener;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A program that reads, commits, seeks and pauses, also in its handler and its listener. */
final class Application implements RebalanceListener {
  private static final Duration PATIENCE = Duration.ofMillis(300);

  private final Ledger ledger;
  private final Choices choices;
  private final SimulatedBroker broker;
  private final Rounds rounds;
  private @Nullable Consumer<byte[], byte[]> consumer;
  /** True while handlers and listeners commit, seek and pause; otherwise they only read. */
  private boolean busy = true;
  private boolean subscribed = true;
  private int commitsBegun;
  private int commitsReported;

  /** Runs rounds of the loop while the application works. */
  interface Rounds {
    void turn(int count) throws InterruptedException;
  }

  Application(Ledger ledger, Choices choices, SimulatedBroker broker, Rounds rounds) {
    this.ledger = ledger;
    this.choices = choices;
    this.broker = broker;
    this.rounds = rounds;
  }

  void uses(Consumer<byte[], byte[]> opened) {
    consumer = opened;
  }

  private Consumer<byte[], byte[]> consumer() {
    return Objects.requireNonNull(consumer);
  }

  /** Makes handlers and listeners only read from now on. */
  void onlyReads() {
    busy = false;
  }

  /** Makes handlers and listeners only read, resumes all partitions and restores the subscription. */
  void calmDown() {
    onlyReads();
    ledger.owned().forEach(p -> pause(p, false));
    if (!subscribed) {
      toggleSubscription();
    }
  }

  int commitsNotReported() {
    return commitsBegun - commitsReported;
  }

  /** Takes a random step. */
  void walk() throws InterruptedException {
    switch (choices.pick(20)) {
      case 0, 1, 2, 3, 4 -> poll(Duration.ZERO);
      case 5, 6, 7, 8 -> poll(PATIENCE);
      case 9, 10, 11 -> rounds.turn(1 + choices.pick(6));
      case 12 -> commit();
      case 13, 14 -> commitAsync();
      case 15 -> seekSomewhere();
      case 16 -> pauseSome(true);
      case 17 -> pauseSome(false);
      case 18 -> {
        ledger.step("wakeup");
        consumer().wakeup();
      }
      default -> {
        if (choices.oneIn(3)) {
          toggleSubscription();
        } else {
          rounds.turn(1);
        }
      }
    }
  }

  /** Polls once. No step here gives poll a reason to fail. */
  void poll(Duration timeout) throws InterruptedException {
    ledger.step("poll " + timeout.toMillis());
    try {
      int count = consumer().poll(timeout, this::onRecord);
      ledger.step("poll gives " + count);
    } catch (KafkaException e) {
      ledger.fail("poll fails: " + e);
    }
  }

  private void onRecord(ConsumerRecord<byte[], byte[]> record) {
    int partition = record.partition();
    ledger.record(partition, record.offset());
    if (busy) {
      switch (choices.pick(24)) {
        case 0, 1, 2 -> turn(1 + choices.pick(4));
        case 3 -> commitAsync();
        case 4 -> seek(partition, choices.pick((int) broker.end(partition) + 1));
        case 5 -> pause(partition, true);
        default -> {
          // continues to read
        }
      }
    }
  }

  private void turn(int count) {
    try {
      rounds.turn(count);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Commits and waits. */
  void commit() throws InterruptedException {
    ledger.step("commit");
    try {
      consumer().commit();
      ledger.step("commit is done");
    } catch (KafkaException e) {
      ledger.step("commit fails: " + e.code());
    }
  }

  void commitAsync() {
    ledger.step("commitAsync");
    commitsBegun++;
    consumer().commitAsync((offsets, error) -> {
      ledger.step("commitAsync " + (error == null ? "is done" : "fails: " + error.code()));
      commitsReported++;
    });
  }

  private void seekSomewhere() {
    List<Integer> owned = List.copyOf(ledger.owned());
    if (!owned.isEmpty()) {
      int partition = owned.get(choices.pick(owned.size()));
      seek(partition, choices.pick((int) broker.end(partition) + 1));
    }
  }

  void seek(int partition, long offset) {
    ledger.step("seek " + partition + "@" + offset);
    ledger.sought(partition, offset);
    consumer().seek(SimulatedBroker.TOPIC, partition, offset);
  }

  void seekIfOwned(int partition, long offset) {
    if (ledger.owned().contains(partition)) {
      seek(partition, offset);
    }
  }

  void pauseIfOwned(int partition) {
    if (ledger.owned().contains(partition)) {
      pause(partition, true);
    }
  }

  private void pauseSome(boolean paused) {
    List<Integer> owned = List.copyOf(ledger.owned());
    if (!owned.isEmpty()) {
      pause(owned.get(choices.pick(owned.size())), paused);
    }
  }

  void pause(int partition, boolean paused) {
    ledger.step((paused ? "pause " : "resume ") + partition);
    ledger.paused(partition, paused);
    if (paused) {
      consumer().pause(SimulatedBroker.TOPIC, partition);
    } else {
      consumer().resume(SimulatedBroker.TOPIC, partition);
    }
  }

  void toggleSubscription() {
    subscribed = !subscribed;
    if (subscribed) {
      ledger.step("subscribe");
      consumer().subscribe(SimulatedBroker.TOPIC);
    } else {
      ledger.step("unsubscribe");
      consumer().unsubscribe();
    }
  }

  @Override
  public void onAssigned(List<TopicPartition> partitions) {
    ledger.step("onAssigned " + numbers(partitions));
    partitions.forEach(p -> ledger.assigned(p.partition()));
    if (busy && choices.oneIn(6)) {
      int partition = partitions.getFirst().partition();
      seek(partition, choices.pick((int) broker.end(partition) + 1));
    }
    atWork();
  }

  @Override
  public void onRevoked(List<TopicPartition> partitions) {
    ledger.step("onRevoked " + numbers(partitions));
    partitions.forEach(p -> ledger.endBegins(p.partition(), true));
    if (busy && choices.oneIn(4)) {
      try {
        commit();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    atWork();
    partitions.forEach(p -> ledger.ended(p.partition()));
  }

  @Override
  public void onLost(List<TopicPartition> partitions) {
    ledger.step("onLost " + numbers(partitions));
    partitions.forEach(p -> ledger.endBegins(p.partition(), false));
    atWork();
    partitions.forEach(p -> ledger.ended(p.partition()));
  }

  private void atWork() {
    if (busy && choices.oneIn(3)) {
      turn(1 + choices.pick(4));
    }
  }

  private static Set<Integer> numbers(List<TopicPartition> partitions) {
    return new TreeSet<>(partitions.stream().map(TopicPartition::partition).toList());
  }
}
