package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.ConsumerRecordFactory;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.serialization.Serdes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Records that wait for transactions, on random walks: attempts fail after they have produced, workers are late with
 * their reports, transactions are committed or aborted, partitions go and come back, the process is killed. A ledger
 * has
 * what readers of committed records see.
 */
class TransactionWalkTest {
  private static final int WALKS = 150;
  private static final int STEPS = 800;
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 60;

  @ParameterizedTest
  @EnumSource(Order.class)
  void eachResultIsSeenOnceAndThoseOfAKeyInTheirOrder(Order order) {
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

  private record Id(int partition, long offset) {}

  /** The state that outlives a process. */
  private static final class Walk {
    private final Order order;
    private final Random random;
    private final long[] committed = new long[PARTITIONS];
    private final String[] metadata = new String[PARTITIONS];
    /** Results that readers of committed records see, in the order of the log. */
    private final List<Id> seen = new ArrayList<>();
    private final Set<Id> known = new HashSet<>();
    private final List<List<Long>> logs = new ArrayList<>();
    private final int metadataCharacters;
    private Member process;

    Walk(Order order, long seed) {
      this.order = order;
      random = new Random(seed);
      metadataCharacters = random.nextInt(3) == 0 ? 4096 : random.nextInt(24);
      for (int p = 0; p < PARTITIONS; p++) {
        metadata[p] = "";
        List<Long> log = new ArrayList<>();
        long offset = random.nextInt(3);
        for (int i = 0; i < RECORDS; i++) {
          log.add(offset);
          offset += random.nextInt(10) == 0 ? 1 + random.nextInt(4) : 1;
        }
        logs.add(log);
      }
      process = new Member();
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        if (random.nextInt(150) == 0) {
          process.kill();
          process = new Member();
        }
        process.step(true);
      }
      for (int step = 0; seen.size() < PARTITIONS * RECORDS; step++) {
        assertThat(step).as("steps without an end, %s of %s", seen.size(), PARTITIONS * RECORDS).isLessThan(100_000);
        process.step(false);
      }
      process.endTransaction();
      assertThat(process.held.size()).isZero();
      assertThat(process.schedule.bytes()).isZero();
      for (int p = 0; p < PARTITIONS; p++) {
        assertThat(committed[p]).isEqualTo(logs.get(p).get(RECORDS - 1) + 1);
      }
    }

    private static String key(long offset) {
      return "key-" + offset % 5;
    }

    private void see(Id id) {
      assertThat(known.add(id)).as("%s again", id).isTrue();
      if (order != Order.NONE) {
        for (long before : logs.get(id.partition())) {
          if (before >= id.offset()) {
            break;
          }
          if (order == Order.BY_PARTITION || key(before).equals(key(id.offset()))) {
            assertThat(known).as("%s before %s", before, id).contains(new Id(id.partition(), before));
          }
        }
      }
      seen.add(id);
    }

    /** The state that a kill ends. */
    private final class Member {
      private final ReadyRing<Slot<String, String>> ready;
      private final List<DoneStack<String, String>> stacks = List.of(new DoneStack<>(), new DoneStack<>());
      private final ResultMemory memory = new ResultMemory(1 << 20);
      private final Schedule<String, String> schedule;
      private final HeldRecords<String, String> held;
      private final List<Slot<String, String>> running = new ArrayList<>();
      /** Records that have ended and are not reported yet. Their worker has nothing else to do meanwhile. */
      private final List<Slot<String, String>> late = new ArrayList<>();
      private final @Nullable PartitionWork[] partitions = new PartitionWork[PARTITIONS];
      private final List<PartitionWork> leaving = new ArrayList<>();
      private final long[] position = new long[PARTITIONS];
      private final Map<Slot<String, String>, Long> resultOf = new HashMap<>();
      private @Nullable RecordTransaction<String, String> open;
      private final ConsumerRecordFactory<String, String> factory = ConsumerRecordFactory.of(Serdes.string(),
          Serdes.string());
      @SuppressWarnings({"unchecked", "rawtypes"})
      private final @Nullable Slot<String, String>[] one = new Slot[1];

      Member() {
        int slots = 1 + random.nextInt(40);
        ready = new ReadyRing<>(slots);
        schedule = new Schedule<>(ScheduleWalkTest.settings(order, slots, 1 + random.nextInt(slots)), ready,
            Serdes.string(), Serdes.string(), memory);
        held = new HeldRecords<>(schedule, metadataCharacters);
        schedule.holdUntilCommit(held);
      }

      void step(boolean isWild) {
        int p = random.nextInt(PARTITIONS);
        switch (random.nextInt(isWild ? 15 : 11)) {
          case 0, 1, 2 -> takeRecords(p);
          case 3, 4 -> begin();
          case 5, 6 -> finish();
          case 7 -> report();
          case 8 -> reap();
          case 9 -> beginTransaction();
          case 10 -> endTransaction();
          case 11 -> revoke(p);
          case 12 -> lose(p);
          default -> assign(p);
        }
        if (!isWild) {
          for (int q = 0; q < PARTITIONS; q++) {
            assign(q);
          }
        }
      }

      void kill() {
        if (random.nextBoolean()) {
          endTransaction(); // the coordinator had committed it before
        }
      }

      private void assign(int p) {
        leaving.removeIf(work -> work.underWay == 0);
        if (partitions[p] == null && leaving.stream().noneMatch(work -> work.id.partition() == p)) {
          partitions[p] = new PartitionWork(new TopicPartition("t", p), committed[p],
              DoneOffsets.decode(committed[p], metadata[p]));
          position[p] = committed[p];
        }
      }

      private void takeRecords(int p) {
        PartitionWork partition = partitions[p];
        for (int i = random.nextInt(10); partition != null && i > 0; i--) {
          long from = position[p];
          Long next = logs.get(p).stream().filter(offset -> offset >= from).findFirst().orElse(null);
          if (next == null || !schedule.hasSlot() || !schedule.hasRoom(partition)
              || !schedule.take(partition, factory.create(OwnedRecord.of("t", key(next), "v").at(p, next)))) {
            break;
          }
          position[p] = next + 1;
          partition.position = next + 1;
          if (partition.window.size() == 0) {
            partition.isDirty = true;
          }
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
        assertThat(slot.results()).as("results of an earlier attempt").isNull();
        running.add(slot);
      }

      private void finish() {
        if (running.isEmpty()) {
          return;
        }
        Slot<String, String> slot = running.remove(random.nextInt(running.size()));
        slot.runner = Thread.currentThread();
        slot.produce("out", null, new byte[random.nextInt(40)], null);
        slot.runner = null;
        resultOf.put(slot, slot.offset);
        boolean fails = random.nextInt(4) == 0 && slot.attempts < 2;
        slot.outcome = fails ? Slot.Outcome.FAILED : Slot.Outcome.DONE;
        ended(slot);
      }

      private void ended(Slot<String, String> slot) {
        Slot<String, String> next = slot.outcome == Slot.Outcome.FAILED ? null : slot.finish();
        if (next == null && random.nextInt(3) == 0) {
          late.add(slot);
          return;
        }
        stacks.get(random.nextInt(2)).push(slot, slot, 1);
        if (next != null) {
          reap(); // another worker may run it, and report on the other stack before this one
          begin(next);
        }
      }

      private void report() {
        if (!late.isEmpty()) {
          Slot<String, String> slot = late.remove(random.nextInt(late.size()));
          stacks.get(random.nextInt(2)).push(slot, slot, 1);
        }
      }

      private void reap() {
        for (DoneStack<String, String> stack : stacks) {
          for (Slot<String, String> slot = stack.takeAll(); slot != null;) {
            Slot<String, String> next = slot.nextDone;
            slot.nextDone = null;
            heard(slot);
            slot = next;
          }
        }
        for (Slot<String, String> slot = schedule.due().take(0); slot != null; slot = schedule.due().take(0)) {
          schedule.makeReady(slot);
        }
        schedule.publish();
      }

      private void heard(Slot<String, String> slot) {
        switch (slot.outcome) {
          case DONE -> schedule.done(slot);
          case ABANDONED -> schedule.abandonedByWorker(slot);
          case FAILED -> {
            slot.dropResults();
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
      }

      private void beginTransaction() {
        if (open == null) {
          List<PartitionWork> assigned = new ArrayList<>();
          for (PartitionWork partition : partitions) {
            if (partition != null) {
              assigned.add(partition);
            }
          }
          RecordTransaction<String, String> planned = held.plan(assigned,
              random.nextInt(3) == 0 ? 1 + random.nextInt(5) : Integer.MAX_VALUE);
          open = planned.isEmpty() ? null : planned;
        }
      }

      private void endTransaction() {
        RecordTransaction<String, String> ends = open;
        open = null;
        if (ends == null) {
          return;
        }
        if (ends.isCancelled() || random.nextInt(4) == 0) { // a lost member cannot commit
          held.aborted(ends, null);
          return;
        }
        for (Slot<String, String> slot : ends.records()) {
          Results results = slot.results();
          assertThat(results).isNotNull();
          assertThat(Objects.requireNonNull(results).count()).isEqualTo(1);
          assertThat(resultOf.get(slot)).isEqualTo(slot.offset);
          see(new Id(slot.in().id.partition(), slot.offset));
        }
        ends.offsets().forEach((partition, offset) -> store(partition.id.partition(), offset));
        held.committed(ends);
      }

      private void store(int p, OffsetAndMetadata offset) {
        assertThat(offset.metadata().length()).isLessThanOrEqualTo(metadataCharacters);
        committed[p] = offset.offset();
        metadata[p] = offset.metadata();
        DoneOffsets done = DoneOffsets.decode(offset.offset(), offset.metadata());
        for (long at : logs.get(p)) { // compares what a restart would do again with the ledger
          boolean isDone = at < offset.offset() || done.contains(at);
          assertThat(isDone).as("%s of %s, committed %s", at, p, offset).isEqualTo(known.contains(new Id(p, at)));
        }
      }

      private void revoke(int p) {
        PartitionWork partition = partitions[p];
        if (partition == null || random.nextInt(3) > 0) {
          return;
        }
        partition.close();
        while (running.stream().anyMatch(slot -> slot.in() == partition)) {
          finish();
        }
        while (!late.isEmpty()) {
          report();
        }
        reap();
        for (int i = 0; i < 20; i++) {
          endTransaction();
          RecordTransaction<String, String> planned = held.plan(List.of(partition), Integer.MAX_VALUE);
          open = planned.isEmpty() ? null : planned;
        }
        endTransaction();
        give(p, partition);
      }

      private void lose(int p) {
        PartitionWork partition = partitions[p];
        if (partition != null && random.nextInt(3) == 0) {
          give(p, partition);
        }
      }

      private void give(int p, PartitionWork partition) {
        partition.cancel();
        schedule.abandonDue();
        held.dropCancelled();
        RecordTransaction<String, String> now = open;
        if (now != null) {
          now.cancelIfLost();
        }
        leaving.add(partition);
        partitions[p] = null;
      }
    }
  }
}
