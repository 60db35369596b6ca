package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.ConsumerRecordFactory;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.internal.OffsetWindow;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The state of the work on random walks: records come, workers take and finish them in any order, attempts fail,
 * partitions go and come back. A ledger says of each record how often it was begun and done.
 */
class ScheduleWalkTest {
  private static final int WALKS = 150;
  private static final int STEPS = 600;
  private static final int PARTITIONS = 3;

  @ParameterizedTest
  @EnumSource(Order.class)
  void everyRecordIsDoneOnceAndInOrder(Order order) {
    long first = Long.getLong("decant.work.seed", System.nanoTime());
    int walks = Integer.getInteger("decant.work.walks", WALKS);
    for (long seed = first; seed < first + walks; seed++) {
      try {
        new Walk(order, seed).run();
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + " of " + order + ": -Ddecant.work.seed=" + seed, e);
      }
    }
  }

  static WorkSettings settings(Order order, int slots, int perPartition) {
    return new WorkSettings("g", List.of("t"), order, 4, 1, WorkSettings.Where.THREADS, null, null, slots, perPartition,
        5_000, Retry.inPlace(1, Duration.ZERO), AfterFailure.SKIP, "", HeaderNames.DECANT, 1, 1, 4096, 0, 1,
        LargeLetters.KEEP_TRYING);
  }

  /** A record as the ledger knows it: the same one at each member of its partition. */
  private record Id(int partition, long offset) {}

  private static final class Walk {
    private final Random random;
    private final Order order;
    private final ReadyRing<Slot<String, String>> ready;
    private final DoneStack<String, String> done = new DoneStack<>();
    private final Schedule<String, String> schedule;
    private final ConsumerRecordFactory<String, String> factory = ConsumerRecordFactory.of(Serdes.string(),
        Serdes.string());
    private final Map<Id, String> keys = new HashMap<>();
    private final Map<Id, Integer> timesDone = new HashMap<>();
    /** Records that were running when their partition was lost. They may be done twice. */
    private final Set<Id> lostWhileRunning = new HashSet<>();
    private final List<Slot<String, String>> running = new ArrayList<>();
    private final List<TreeMap<Long, Boolean>> logs = new ArrayList<>();
    private final @Nullable PartitionWork[] partitions = new PartitionWork[PARTITIONS];
    private final long[] committed = new long[PARTITIONS];
    private final String[] metadata = new String[PARTITIONS];
    private final long[] position = new long[PARTITIONS];
    @SuppressWarnings({"unchecked", "rawtypes"})
    private final @Nullable Slot<String, String>[] one = new Slot[1];

    Walk(Order order, long seed) {
      this.order = order;
      random = new Random(seed);
      int slots = 1 + random.nextInt(40);
      WorkSettings settings = settings(order, slots, 1 + random.nextInt(slots));
      ready = new ReadyRing<>(slots);
      schedule = new Schedule<>(settings, ready, Serdes.string(), Serdes.string());
      for (int p = 0; p < PARTITIONS; p++) {
        TreeMap<Long, Boolean> log = new TreeMap<>();
        long offset = random.nextInt(3);
        for (int i = 0; i < 60; i++) {
          log.put(offset, true);
          // gaps of transaction markers and of compaction
          offset += random.nextInt(10) == 0 ? 1 + random.nextInt(4) : 1;
        }
        logs.add(log);
        metadata[p] = "";
      }
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        step(true);
      }
      while (!isComplete()) { // no member loses a partition any more
        step(false);
      }
      for (int p = 0; p < PARTITIONS; p++) {
        for (long offset : logs.get(p).keySet()) {
          Id id = new Id(p, offset);
          int times = timesDone.getOrDefault(id, 0);
          if (lostWhileRunning.contains(id)) {
            assertThat(times).as(id.toString()).isPositive();
          } else {
            assertThat(times).as(id.toString()).isEqualTo(1);
          }
        }
        commit(p);
        assertThat(committed[p]).isEqualTo(logs.get(p).lastKey() + 1);
      }
      assertThat(schedule.underWay()).isZero();
      assertThat(schedule.bytes()).isZero();
    }

    private boolean isComplete() {
      for (int p = 0; p < PARTITIONS; p++) {
        if (partitions[p] == null || position[p] <= logs.get(p).lastKey()) {
          return false;
        }
      }
      return schedule.underWay() == 0;
    }

    private void step(boolean withRebalances) {
      switch (random.nextInt(withRebalances ? 12 : 8)) {
        case 0, 1, 2 -> takeRecords(random.nextInt(PARTITIONS));
        case 3, 4 -> begin();
        case 5, 6 -> finish();
        case 7 -> reap();
        case 8 -> commit(random.nextInt(PARTITIONS));
        case 9 -> revoke(random.nextInt(PARTITIONS));
        case 10 -> lose(random.nextInt(PARTITIONS));
        default -> assign(random.nextInt(PARTITIONS));
      }
      if (!withRebalances) {
        for (int p = 0; p < PARTITIONS; p++) {
          assign(p);
        }
      }
    }

    private void assign(int p) {
      if (partitions[p] == null && running.stream().noneMatch(slot -> slot.in().id.partition() == p)
          && !isLeaving(p)) {
        partitions[p] = new PartitionWork(new TopicPartition("t", p), committed[p],
            DoneOffsets.decode(committed[p], metadata[p]));
        position[p] = committed[p];
      }
    }

    /**
     * Partitions of earlier assignments with slots under way. The loop keeps a partition paused while it is among them.
     */
    private final List<PartitionWork> leaving = new ArrayList<>();

    private boolean isLeaving(int p) {
      leaving.removeIf(work -> work.underWay == 0);
      return leaving.stream().anyMatch(work -> work.id.partition() == p);
    }

    private void takeRecords(int p) {
      PartitionWork partition = partitions[p];
      for (int i = random.nextInt(10); partition != null && i > 0; i--) {
        Long next = logs.get(p).ceilingKey(position[p]);
        if (next == null || !schedule.hasSlot() || !schedule.hasRoom(partition)) {
          break;
        }
        String key = next % 11 == 0 ? null : "key-" + next % 7;
        keys.put(new Id(p, next), String.valueOf(key));
        if (!schedule.take(partition, factory.create(OwnedRecord.of("t", key, "v".repeat(random.nextInt(50)))
            .at(p, next)))) {
          break;
        }
        position[p] = next + 1;
        partition.position = next + 1;
      }
      schedule.publish();
    }

    private void begin() {
      schedule.publish();
      if (running.size() < 6 && ready.take(one, 1) == 1) {
        begin(Objects.requireNonNull(one[0]));
      }
    }

    private void begin(Slot<String, String> slot) {
      if (!slot.in().isOpen()) {
        slot.outcome = Slot.Outcome.ABANDONED;
        ended(slot);
        return;
      }
      assertThat(slot.record().offset()).isEqualTo(slot.offset);
      for (Slot<String, String> other : running) {
        boolean isTogether = other.in() == slot.in() && switch (order) {
          case BY_KEY -> Objects.equals(slot.record().key(), other.record().key()) && slot.record().key() != null;
          case BY_PARTITION -> true;
          case NONE -> false;
        };
        assertThat(isTogether).as("%s and %s at once", slot.offset, other.offset).isFalse();
      }
      if (order != Order.NONE && slot.record().key() != null) {
        for (long before : logs.get(slot.in().id.partition()).headMap(slot.offset).keySet()) {
          Id id = new Id(slot.in().id.partition(), before);
          if (order == Order.BY_PARTITION || Objects.equals(slot.record().key(), keys.get(id))) {
            assertThat(timesDone.getOrDefault(id, 0)).as("%s before %s", before, slot.offset).isPositive();
          }
        }
      }
      running.add(slot);
    }

    private void finish() {
      if (running.isEmpty()) {
        return;
      }
      Slot<String, String> slot = running.remove(random.nextInt(running.size()));
      if (random.nextInt(5) == 0 && slot.attempts < 2) {
        slot.error = new IllegalStateException("fails");
        slot.outcome = Slot.Outcome.FAILED;
      } else {
        slot.outcome = Slot.Outcome.DONE;
        timesDone.merge(new Id(slot.in().id.partition(), slot.offset), 1, Integer::sum);
      }
      ended(slot);
    }

    private void ended(Slot<String, String> slot) {
      Slot<String, String> next = slot.outcome == Slot.Outcome.FAILED ? null : slot.finish();
      done.push(slot, slot, 1);
      if (next != null) {
        begin(next);
      }
    }

    private void reap() {
      for (Slot<String, String> slot = done.takeAll(); slot != null;) {
        Slot<String, String> next = slot.nextDone;
        slot.nextDone = null;
        switch (slot.outcome) {
          case DONE -> schedule.done(slot);
          case ABANDONED -> schedule.abandonedByWorker(slot);
          case FAILED -> {
            slot.attempts++;
            slot.outcome = Slot.Outcome.NONE;
            if (slot.in().isOpen()) {
              schedule.due().add(slot);
            } else {
              schedule.abandon(slot);
            }
          }
          default -> throw new AssertionError(slot.outcome);
        }
        slot = next;
      }
      for (Slot<String, String> slot = schedule.due().take(0); slot != null; slot = schedule.due().take(0)) {
        schedule.makeReady(slot);
      }
      schedule.publish();
    }

    private void commit(int p) {
      reap();
      PartitionWork partition = partitions[p];
      if (partition == null || partition.committable() < 0) {
        return;
      }
      committed[p] = partition.committable();
      DoneOffsets above = DoneOffsets.of(partition.window, partition.doneBefore());
      metadata[p] = above.encode(committed[p], random.nextInt(4) == 0 ? 20 : 4096);
      if (metadata[p].length() > 20) {
        assertThat(DoneOffsets.decode(committed[p], metadata[p])).hasToString(above.toString());
      }
      Long oldest = logs.get(p).keySet().stream()
          .filter(offset -> timesDone.getOrDefault(new Id(p, offset), 0) == 0).findFirst().orElse(null);
      assertThat(oldest == null || committed[p] <= oldest).as("%s committed, %s not done", committed[p], oldest)
          .isTrue();
    }

    /** Revokes a partition: its attempts end first, and are committed. */
    private void revoke(int p) {
      PartitionWork partition = partitions[p];
      if (partition == null) {
        return;
      }
      partition.close();
      while (running.stream().anyMatch(slot -> slot.in() == partition)) {
        finish();
      }
      reap();
      if (partition.committable() >= 0) { // else the previous commit stays
        committed[p] = partition.committable();
        metadata[p] = DoneOffsets.of(partition.window, partition.doneBefore()).encode(committed[p], 4096);
      }
      give(p, partition);
    }

    private void lose(int p) {
      PartitionWork partition = partitions[p];
      if (partition == null || random.nextInt(3) > 0) {
        return;
      }
      // all records that were not committed come again
      DoneOffsets known = DoneOffsets.decode(committed[p], metadata[p]);
      for (long offset : logs.get(p).tailMap(committed[p]).keySet()) {
        if (!known.contains(offset)) {
          lostWhileRunning.add(new Id(p, offset));
        }
      }
      give(p, partition);
    }

    private void give(int p, PartitionWork partition) {
      partition.cancel();
      schedule.abandonDue();
      leaving.add(partition);
      partitions[p] = null;
    }
  }

  @Test
  void offsetsThatGoBackAreOtherRecords() {
    // A log that was cut off has other records at the offsets that were done: they were passed over, and lost.
    OffsetWindow window = new OffsetWindow();
    window.add(100);
    for (int offset = 101; offset < 110; offset++) {
      window.acknowledgeAt(window.add(offset));
    }
    DoneOffsets before = DoneOffsets.of(window, DoneOffsets.NONE);
    PartitionWork goesOn = new PartitionWork(new TopicPartition("t", 0), 100, before);
    assertThat(goesOn.wasDone(100)).isFalse();
    goesOn.window.add(100);
    assertThat(goesOn.wasDone(101)).isTrue();
    goesOn.window.add(101);
    assertThat(goesOn.wasDone(101)).as("again").isFalse();
    assertThat(goesOn.wasDone(105)).isFalse();
    PartitionWork beginsBefore = new PartitionWork(new TopicPartition("t", 0), 100, before);
    assertThat(beginsBefore.wasDone(0)).isFalse();
    assertThat(beginsBefore.wasDone(105)).isFalse();
    assertThat(beginsBefore.doneBefore().isEmpty()).isTrue();
  }

  @Test
  void runsAreFoundAndRead() {
    PartitionWork partition = new PartitionWork(new TopicPartition("t", 0), OffsetWindow.NONE, DoneOffsets.NONE);
    long[] places = new long[20];
    for (int i = 0; i < 20; i++) {
      places[i] = partition.window.add(100 + i);
    }
    for (int i : new int[] {0, 1, 4, 5, 6, 19}) {
      partition.done(places[i]);
    }
    assertThat(partition.committable()).isEqualTo(102);
    DoneOffsets above = DoneOffsets.of(partition.window, partition.doneBefore());
    assertThat(above).hasToString("done 104..106 119..119");
    String text = above.encode(102, 4096);
    assertThat(text).isEqualTo("w1.AgMMAQ");
    DoneOffsets read = DoneOffsets.decode(102, text);
    assertThat(read).hasToString("done 104..106 119..119");
    assertThat(read.contains(103)).isFalse();
    assertThat(read.contains(104)).isTrue();
    assertThat(read.contains(106)).isTrue();
    assertThat(read.contains(107)).isFalse();
    assertThat(read.last()).isEqualTo(119);
    assertThat(above.encode(102, 9)).as("what has room").isEqualTo("w1.AgM");
    assertThat(above.encode(102, 3)).isEmpty();
  }

  @Test
  void runsThatACommitHasPassedAreLeftOut() {
    // Compaction had removed the records before them, the first number became negative, and nothing could be read.
    DoneOffsets before = DoneOffsets.decode(102, "w1.AgMMAQ");
    assertThat(before).hasToString("done 104..106 119..119");
    assertThat(DoneOffsets.decode(105, before.encode(105, 4096))).hasToString("done 105..106 119..119");
    assertThat(DoneOffsets.decode(107, before.encode(107, 4096))).hasToString("done 119..119");
    assertThat(before.encode(120, 4096)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "written by another client", "w1.", "w1.!", "w1.AgA", "w1.Ag", "w1.AgMAAw", "w1.//////////8",
          "w1.////////////////////////////AQ", "w2.AgM", "w1.AgP//////////8"})
  void metadataThatIsNotOursSaysNothing(String text) {
    assertThat(DoneOffsets.decode(5, text).isEmpty()).isTrue();
  }
}
