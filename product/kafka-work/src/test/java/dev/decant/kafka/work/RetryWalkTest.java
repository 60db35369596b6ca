package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.ConsumerRecordFactory;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.bridge.CopySink;
import dev.decant.time.Clock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Retry topics on random walks, without brokers and threads: two members take records, handlers fail, copies are
 * stored, refused or of unknown fate, partitions go one by one and come back, members lose them or die. A ledger knows
 * each record: none is lost, none is begun before all earlier ones of its key have ended, and none ends twice but those
 * that were not committed when their partition was lost.
 */
class RetryWalkTest {
  private static final int WALKS = 100;
  private static final int STEPS = 1_500;
  private static final int PARTITIONS = 2;
  private static final int RECORDS = 40;
  private static final List<String> TOPICS = List.of("main", "r-1", "r-2");

  @Test
  void recordsKeepTheOrderOfTheirKeysOverAllStages() {
    long first = Long.getLong("decant.work.seed", System.nanoTime());
    int walks = Integer.getInteger("decant.work.walks", WALKS);
    for (long seed = first; seed < first + walks; seed++) {
      try {
        new Walk(seed).run();
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + ": -Ddecant.work.seed=" + seed, e);
      }
    }
  }

  private static final class HandClock implements Clock {
    private long nanos;

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public long epochMillis() {
      return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
  }

  /** A record in a log; its id is the same in all topics. */
  private record Stored(String id, @Nullable String key, @Nullable Origin origin) {}

  /** A copy under way to a log. */
  private record Copy(TopicPartition to, Stored record, SendListener outcome) {}

  private static final class Walk {
    private final Random random;
    private final HandClock clock = new HandClock();
    private final Retry retry;
    /** True if no partition is lost and each copy has a response: then no record ends twice. */
    private final boolean isCalm;
    private final RetryTopics topics = RetryTopics.named("r", Duration.ofMillis(100), Duration.ofMillis(200));
    private final Map<TopicPartition, List<Stored>> logs = new HashMap<>();
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private final Map<TopicPartition, String> metadata = new HashMap<>();
    private final Map<TopicPartition, Integer> owners = new HashMap<>();
    private final Member[] members = new Member[2];
    /** Copies of members that have lost their partitions or died. They may still be stored. */
    private final List<Copy> orphans = new ArrayList<>();
    private final Map<String, Integer> ended = new HashMap<>();
    private final Set<String> mayRepeat = new HashSet<>();
    private final Map<String, String> keys = new HashMap<>();

    Walk(long seed) {
      random = new Random(seed);
      isCalm = random.nextInt(3) == 0;
      retry = (random.nextBoolean() ? Retry.none() : Retry.inPlace(1, Duration.ofMillis(10))).then(topics);
      for (int p = 0; p < PARTITIONS; p++) {
        for (String topic : TOPICS) {
          logs.put(new TopicPartition(topic, p), new ArrayList<>());
          owners.put(new TopicPartition(topic, p), -1);
        }
        for (int i = 0; i < RECORDS; i++) {
          String key = random.nextInt(12) == 0 ? null : "key-" + random.nextInt(4);
          String id = p + "/" + i;
          keys.put(id, String.valueOf(key));
          log(new TopicPartition("main", p)).add(new Stored(id, key, null));
        }
      }
      members[0] = new Member();
      members[1] = new Member();
    }

    private List<Stored> log(TopicPartition id) {
      return Objects.requireNonNull(logs.get(id));
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        step(true);
      }
      for (int left = 400_000; !isComplete(); left--) { // no member loses a partition any more
        assertThat(left).as("steps left; %s", this).isPositive();
        step(false);
      }
      keys.keySet().forEach(id -> {
        int times = ended.getOrDefault(id, 0);
        if (mayRepeat.contains(id)) {
          assertThat(times).as(id).isPositive();
        } else {
          assertThat(times).as(id).isEqualTo(1);
        }
      });
      for (Member member : members) {
        assertThat(member.schedule.waiting()).isZero();
        assertThat(member.failures.awaitingDeadLetter() + member.failures.awaitingRetry()).isZero();
        member.partitions.values().forEach(partition -> assertThat(partition.holds).as(partition.id.toString())
            .isZero());
      }
    }

    private boolean isComplete() {
      for (TopicPartition id : logs.keySet()) {
        int owner = owner(id);
        if (owner < 0 || members[owner].position(id) < log(id).size()) {
          return false;
        }
      }
      return orphans.isEmpty() && Arrays.stream(members).allMatch(member -> member.schedule.underWay() == 0);
    }

    private int owner(TopicPartition id) {
      return owners.getOrDefault(id, -1);
    }

    private void step(boolean withRebalances) {
      Member member = members[random.nextInt(2)];
      TopicPartition id = new TopicPartition(TOPICS.get(random.nextInt(3)), random.nextInt(PARTITIONS));
      switch (random.nextInt(withRebalances ? 30 : 22)) {
        case 0, 1, 2, 3, 4, 5 -> member.poll(id);
        case 6, 7, 8 -> member.begin();
        case 9, 10, 11 -> member.finish();
        case 12, 13, 14 -> member.look();
        case 15, 16, 17 -> member.endCopy();
        case 18 -> clock.nanos += TimeUnit.MILLISECONDS.toNanos(random.nextInt(150));
        case 19 -> member.runElsewhere();
        case 20 -> {
          if (!orphans.isEmpty()) {
            end(orphans.remove(0));
          }
        }
        case 21 -> member.commit(id);
        case 22, 23, 24, 25 -> assign(id, random.nextInt(2));
        case 26 -> gather();
        case 27 -> {
          if (random.nextInt(4) == 0) {
            revoke(id);
          }
        }
        case 28 -> {
          if (!isCalm && random.nextInt(4) == 0) {
            lose(random.nextInt(2));
          }
        }
        default -> {
          if (!isCalm && random.nextInt(6) == 0) {
            die(random.nextInt(2));
          }
        }
      }
      if (!withRebalances) {
        gather();
      }
    }

    /** Assigns all partitions with a number to one member. */
    private void gather() {
      for (int p = 0; p < PARTITIONS; p++) {
        for (String topic : TOPICS) {
          TopicPartition id = new TopicPartition(topic, p);
          if (owner(id) >= 0 && owner(id) != p % 2) {
            revoke(id);
          }
          assign(id, p % 2);
        }
      }
    }

    private void assign(TopicPartition id, int to) {
      if (owner(id) < 0) {
        owners.put(id, to);
        members[to].assigned(id);
      }
    }

    private void revoke(TopicPartition id) {
      if (owner(id) >= 0) {
        members[owner(id)].revoked(id);
        owners.put(id, -1);
      }
    }

    private void repeatable(Member of) {
      of.partitions.keySet().forEach(id -> {
        long from = committed.getOrDefault(id, 0L);
        DoneOffsets done = DoneOffsets.decode(from, metadata.getOrDefault(id, ""));
        for (long offset = from; offset < log(id).size(); offset++) {
          if (!done.contains(offset)) {
            mayRepeat.add(log(id).get((int) offset).id());
          }
        }
      });
    }

    private void lose(int index) {
      Member member = members[index];
      repeatable(member);
      orphans.addAll(member.inFlight); // the loop of the member gets their outcome, too
      member.inFlight.clear();
      owners.replaceAll((id, owner) -> owner == index ? -1 : owner);
      member.lost(List.copyOf(member.partitions.keySet()));
    }

    private void die(int index) {
      Member member = members[index];
      repeatable(member);
      member.inFlight.forEach(copy -> orphans.add(new Copy(copy.to(), copy.record(), new SendListener() {
        @Override
        public void onAck(long tag, int partition, long offset, long timestamp) {}

        @Override
        public void onFailure(long tag, KafkaException error) {}
      })));
      owners.replaceAll((id, owner) -> owner == index ? -1 : owner);
      members[index] = new Member();
    }

    /** Ends a copy: it is stored or not, and the member learns of that or not. */
    private void end(Copy copy) {
      int fate = isCalm ? random.nextInt(5) * 4 + 3 : random.nextInt(20);
      boolean isStored = fate < 17;
      long offset = -1;
      if (isStored && !copy.to().topic().equals("dead")) {
        offset = log(copy.to()).size();
        log(copy.to()).add(copy.record());
      }
      if (fate < 16) {
        if (copy.to().topic().equals("dead")) {
          end(copy.record().id());
        }
        copy.outcome().onAck(0, copy.to().partition(), offset, 0);
        return;
      }
      if (fate < 18) {
        mayRepeat.add(copy.record().id());
        if (isStored && copy.to().topic().equals("dead")) {
          end(copy.record().id());
        }
        copy.outcome().onFailure(0, new KafkaException(ErrorCode.REQUEST_TIMED_OUT, "of unknown fate"));
      } else {
        copy.outcome().onFailure(0, new KafkaException(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "refused"));
      }
    }

    private void end(String id) {
      ended.merge(id, 1, Integer::sum);
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      for (Member member : members) {
        text.append("underWay ").append(member.schedule.underWay()).append(" waiting ")
            .append(member.schedule.waiting()).append(" due ").append(member.schedule.due().size()).append(" running ")
            .append(member.running.size()).append(" in flight ").append(member.inFlight.size());
        member.partitions.values().forEach(p -> text.append("; ").append(p.id).append(" holds ").append(p.holds)
            .append(" position ").append(member.position(p.id)).append('/').append(log(p.id).size()));
        text.append('\n');
      }
      return text.toString();
    }

    /** A member of the group, in place of WorkLoop and its workers. */
    private final class Member implements CopySink, RetryStages.Sender, StageReader, StageOrder.Runs {
      final Map<TopicPartition, PartitionWork> partitions = new HashMap<>();
      final Map<TopicPartition, Long> positions = new HashMap<>();
      final Set<TopicPartition> paused = new HashSet<>();
      final List<Slot<String, String>> running = new ArrayList<>();
      final List<Copy> inFlight = new ArrayList<>();
      final ArrayDeque<Runnable> elsewhere = new ArrayDeque<>();
      final ArrayDeque<Runnable> onLoop = new ArrayDeque<>();
      final List<PartitionWork> leaving = new ArrayList<>();
      final DoneStack<String, String> done = new DoneStack<>();
      final ReadyRing<Slot<String, String>> ready;
      final Schedule<String, String> schedule;
      final RetryStages<String, String> stages;
      final StageOrder order;
      final Failures<String, String> failures;
      final Holds holds;
      final ConsumerRecordFactory<String, String> factory = ConsumerRecordFactory.of(Serdes.string(), Serdes.string());
      @SuppressWarnings({"unchecked", "rawtypes"})
      private final @Nullable Slot<String, String>[] one = new Slot[1];

      Member() {
        int slots = 2 + random.nextInt(30);
        WorkSettings settings = new WorkSettings("g", List.of("main"), Order.BY_KEY, 4, 1, WorkSettings.Where.THREADS,
            null, null, slots, 1 + random.nextInt(slots), 10_000, retry, AfterFailure.DEAD_LETTER, "dead",
            HeaderNames.DECANT, 1, 1, 4096, 0, 1, LargeLetters.KEEP_TRYING);
        ready = new ReadyRing<>(slots);
        schedule = new Schedule<>(settings, ready, Serdes.string(), Serdes.string());
        holds = new Holds((id, isPaused) -> {
          boolean unused = isPaused ? paused.add(id) : paused.remove(id);
        });
        WorkListeners listeners = new WorkListeners(List.of());
        RetryStages.Surroundings in = new RetryStages.Surroundings(holds, listeners, clock, partitions,
            id -> log(id).size() - position(id));
        order = new StageOrder(settings, topics, in, this, this);
        stages = new RetryStages<>(settings, topics, schedule, this, order, in);
        failures = new Failures<>(settings, schedule, new DeadLetters(this, "dead", "g", HeaderNames.DECANT), stages,
            listeners, slot -> done.push(slot, slot, 1));
        stages.connect(failures);
      }

      long position(TopicPartition id) {
        return positions.getOrDefault(id, 0L);
      }

      // Calls of the classes under test.

      @Override
      public boolean send(String topic, byte @Nullable [] key, byte @Nullable [] value, SendOptions options,
          SendListener outcome) {
        String id = new String(Objects.requireNonNull(value), StandardCharsets.UTF_8);
        return send(new Copy(new TopicPartition(topic, 0), new Stored(id, null, null), outcome));
      }

      @Override
      public boolean send(Slot<?, ?> slot, int stage, @Nullable Throwable error, long table, SendListener outcome) {
        ConsumerRecord<?, ?> record = slot.record();
        Origin from = slot.origin == null ? RetryHeaders.itself(record, slot.attempts) : slot.origin;
        long due = clock.epochMillis() + (error == null ? 0 : topics.delayMillis(stage));
        Origin origin = new Origin(from.topic(), from.partition(), from.offset(), from.timestamp(), "CreateTime",
            slot.attempts, due, table);
        return send(new Copy(new TopicPartition(topics.name(stage), record.partition()),
            new Stored((String) Objects.requireNonNull(record.value()), (String) record.key(), origin), outcome));
      }

      private boolean send(Copy copy) {
        int fate = random.nextInt(20);
        if (fate == 0) {
          throw new KafkaException(ErrorCode.NONE, "not now");
        }
        return fate > 2 && inFlight.add(copy);
      }

      @Override
      public void close(Duration timeout) {}

      @Override
      public List<Found> read(List<Part> parts) {
        if (random.nextInt(5) == 0) {
          throw new KafkaException(ErrorCode.REQUEST_TIMED_OUT, "no answer");
        }
        return parts.stream().map(part -> {
          PendingKeys pending = new PendingKeys();
          for (long offset = Math.max(0, part.from()); offset < log(part.id()).size(); offset++) {
            String key = log(part.id()).get((int) offset).key();
            if (key != null && !part.done().contains(offset)) {
              byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
              pending.add(KeyTable.hash(ByteBuffer.wrap(bytes), 0, bytes.length));
            }
          }
          return new Found(pending, log(part.id()).size());
        }).toList();
      }

      @Override
      public void elsewhere(Runnable task) {
        elsewhere.add(task);
      }

      @Override
      public void onLoop(Runnable task) {
        onLoop.add(task);
      }

      @Override
      public void close() {}

      void runElsewhere() {
        Runnable task = elsewhere.poll();
        if (task != null) {
          task.run();
        }
      }

      // Steps of the loop.

      void assigned(TopicPartition id) {
        long from = committed.getOrDefault(id, -1L);
        positions.put(id, Math.max(0, from));
        add(new PartitionWork(id, TOPICS.indexOf(id.topic()), from,
            DoneOffsets.decode(Math.max(0, from), metadata.getOrDefault(id, ""))));
      }

      private void add(PartitionWork partition) {
        partitions.put(partition.id, partition);
        if (leaving.stream().anyMatch(old -> old.underWay > 0 && old.id.equals(partition.id))) {
          holds.add(partition, Holds.LEAVING);
        }
        stages.assigned(partition);
      }

      void poll(TopicPartition id) {
        PartitionWork partition = partitions.get(id);
        if (partition == null || paused.contains(id)) {
          return;
        }
        for (int i = random.nextInt(8); i > 0 && schedule.hasSlot() && schedule.hasRoom(partition); i--) {
          long next = position(id);
          if (next >= log(id).size() || !take(partition, record(id, next))) {
            break;
          }
          positions.put(id, next + 1);
          partition.position = next + 1;
        }
        if (!schedule.hasRoom(partition)) {
          holds.add(partition, Holds.BOUND);
        }
      }

      private boolean take(PartitionWork partition, ConsumerRecord<String, String> record) {
        return partition.stage > 0 ? stages.take(partition, record) : schedule.take(partition, record);
      }

      private ConsumerRecord<String, String> record(TopicPartition id, long offset) {
        Stored stored = log(id).get((int) offset);
        OwnedRecord<String, String> record = OwnedRecord.of(id.topic(), stored.key(), stored.id())
            .at(id.partition(), offset);
        Origin origin = stored.origin();
        if (origin != null) {
          record = record.withHeaderText("retry.topic", origin.topic())
              .withHeaderText("retry.partition", Integer.toString(origin.partition()))
              .withHeaderText("retry.offset", Long.toString(origin.offset()))
              .withHeaderText("retry.attempts", Integer.toString(origin.attempts()))
              .withHeaderText("retry.due", Long.toString(origin.dueMillis()));
          if (origin.table() != 0) {
            record = record.withHeaderText("retry.table", Long.toHexString(origin.table()));
          }
        }
        return factory.create(record);
      }

      void begin() {
        schedule.publish();
        if (running.size() < 5 && ready.take(one, 1) == 1) {
          Slot<String, String> slot = Objects.requireNonNull(one[0]);
          assertThat(slot.in().stage == 0 || slot.dueNanos - clock.nanos <= 0).as("%s is due", slot.offset).isTrue();
          begin(slot);
        }
      }

      private void begin(Slot<String, String> slot) {
        if (!slot.in().isOpen()) {
          slot.outcome = Slot.Outcome.ABANDONED;
          handled(slot);
          return;
        }
        String id = Objects.requireNonNull(slot.record().value());
        String key = slot.record().key();
        if (key != null) {
          for (Member member : members) {
            for (Slot<String, String> other : member.running) {
              boolean isTogether = other.in().isOpen() && other.record().partition() == slot.record().partition()
                  && key.equals(other.record().key());
              // A copy that a member stores after it has lost the partition may run beside others.
              boolean isRepeated = mayRepeat.contains(id) || mayRepeat.contains(other.record().value());
              assertThat(isTogether && !isRepeated).as("%s and %s at once", id, other.record().value()).isFalse();
            }
          }
          int number = (int) slot.origin().offset();
          for (int before = 0; before < number; before++) {
            String earlier = slot.in().id.partition() + "/" + before;
            if (key.equals(keys.get(earlier))) {
              assertThat(ended.getOrDefault(earlier, 0)).as("%s before %s of %s", earlier, id, slot.in().id)
                  .isPositive();
            }
          }
        }
        running.add(slot);
      }

      void finish() {
        if (!running.isEmpty()) {
          finish(running.get(random.nextInt(running.size())));
        }
      }

      private void finish(Slot<String, String> slot) {
        running.remove(slot);
        if (random.nextInt(3) == 0) {
          slot.error = new IllegalStateException("fails");
          slot.outcome = Slot.Outcome.FAILED;
        } else {
          slot.outcome = Slot.Outcome.DONE;
          end(Objects.requireNonNull(slot.record().value()));
        }
        handled(slot);
      }

      private void handled(Slot<String, String> slot) {
        Slot<String, String> next = slot.outcome == Slot.Outcome.FAILED ? null : slot.finish();
        done.push(slot, slot, 1);
        if (next != null) {
          begin(next);
        }
      }

      void endCopy() {
        if (!inFlight.isEmpty()) { // those of a partition in their order
          TopicPartition to = inFlight.get(random.nextInt(inFlight.size())).to();
          Copy copy = inFlight.stream().filter(c -> c.to().equals(to)).findFirst().orElseThrow();
          inFlight.remove(copy);
          end(copy);
        }
      }

      void look() {
        for (Runnable task = onLoop.poll(); task != null; task = onLoop.poll()) {
          task.run();
        }
        reap();
        failures.retryDue(clock.nanos);
        stages.step(clock.nanos);
        schedule.publish();
      }

      private void reap() {
        for (Slot<String, String> slot = done.takeAll(); slot != null;) {
          Slot<String, String> next = slot.nextDone;
          slot.nextDone = null;
          switch (slot.outcome) {
            case NONE -> schedule.makeReady(slot);
            case DONE -> schedule.done(slot);
            case ABANDONED -> schedule.abandonedByWorker(slot);
            case FAILED -> assertThat(failures.failed(slot, clock.nanos)).isNull();
            case COPIED, NOT_COPIED -> assertThat(failures.copyEnded(slot, clock.nanos)).isNull();
          }
          slot = next;
        }
        for (PartitionWork partition : partitions.values()) {
          boolean isWaitedFor = leaving.stream().anyMatch(old -> old.underWay > 0 && old.id.equals(partition.id));
          if (schedule.hasRoom(partition) && !isWaitedFor) {
            holds.remove(partition, Holds.BOUND | Holds.LEAVING);
          }
        }
        leaving.removeIf(partition -> partition.underWay == 0);
      }

      void commit(TopicPartition id) {
        PartitionWork partition = partitions.get(id);
        if (partition != null && !partition.isCancelled() && partition.committable() >= 0) {
          committed.put(id, partition.committable());
          metadata.put(id, partition.doneAbove().encode(partition.committable(), 4096));
        }
      }

      void revoked(TopicPartition id) {
        List<PartitionWork> going = new ArrayList<>(List.of(Objects.requireNonNull(partitions.get(id))));
        List<PartitionWork> staying = stages.removed(going);
        going.addAll(staying);
        going.forEach(PartitionWork::close);
        failures.abandonClosed();
        for (Slot<String, String> slot : List.copyOf(running)) {
          if (going.contains(slot.in())) {
            finish(slot);
          }
        }
        reap();
        while (going.stream().anyMatch(failures::isCopying)) {
          endCopy();
          reap();
        }
        going.forEach(partition -> commit(partition.id));
        give(going);
        staying.forEach(this::beginAnew);
      }

      private void beginAnew(PartitionWork old) {
        if (old.from() >= 0) {
          positions.put(old.id, old.from());
        }
        add(new PartitionWork(old.id, old.stage, old.from(), old.doneAbove()));
      }

      void lost(List<TopicPartition> ids) {
        List<PartitionWork> going = new ArrayList<>();
        ids.forEach(id -> going.add(Objects.requireNonNull(partitions.get(id))));
        assertThat(stages.removed(going)).isEmpty();
        give(going);
      }

      private void give(List<PartitionWork> going) {
        for (PartitionWork partition : going) {
          partition.cancel();
          partitions.remove(partition.id);
          holds.forget(partition);
          paused.remove(partition.id);
          if (partition.underWay > 0) {
            leaving.add(partition);
          }
        }
        failures.abandonClosed();
      }
    }
  }
}
