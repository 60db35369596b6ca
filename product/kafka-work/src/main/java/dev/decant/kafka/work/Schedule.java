package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.CopiedRecord;
import dev.decant.kafka.serialization.Decoder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which records are under way, in which order they may be begun, and what becomes of them: the state of the work,
 * without threads, brokers or time of its own. The loop only, except for the chains and the ring that workers share.
 */
final class Schedule<K, V> {
  private final Order order;
  private final ReadyRing<Slot<K, V>> ready;
  private final KeyTable<K, V> keys;
  private final RecordMemory memory;
  private final DueSlots<K, V> due = new DueSlots<>();
  private final int slots;
  /** Of the settings; 0 to share all places among the partitions. */
  private final int setPerPartition;
  private int mostPerPartition;
  /** Records that are done and wait for their transaction; null without transactions. */
  private @Nullable HeldRecords<K, V> held;
  private final boolean isOrderedInStages;
  /** Null without retry topics. */
  private @Nullable Admission<K, V> admission;
  /** For the status. */
  private final List<Slot<K, V>> all;
  private long nowNanos;
  private @Nullable Slot<K, V> free;
  private int underWay;
  /** Records that wait for the due time of a retry topic, and those behind them. */
  private int waiting;
  private int inStages;
  private long endedInStages;
  /** Where the next ready record goes; those before are published at once. */
  private long readyEnd;
  private long readyPublished;

  Schedule(WorkSettings settings, ReadyRing<Slot<K, V>> ready, Decoder<? extends K> keyDecoder,
      Decoder<? extends V> valueDecoder) {
    this(settings, ready, keyDecoder, valueDecoder, null);
  }

  Schedule(WorkSettings settings, ReadyRing<Slot<K, V>> ready, Decoder<? extends K> keyDecoder,
      Decoder<? extends V> valueDecoder, @Nullable ResultMemory results) {
    this.order = settings.order();
    this.ready = ready;
    this.slots = settings.maxUnderWay();
    this.setPerPartition = settings.maxUnderWayPerPartition();
    this.mostPerPartition = setPerPartition > 0 ? setPerPartition : slots;
    this.isOrderedInStages = settings.isOrderedInRetryTopics();
    this.keys = new KeyTable<>(slots);
    this.memory = new RecordMemory(settings.maxBytes());
    this.all = new ArrayList<>(slots);
    for (int i = 0; i < slots; i++) {
      Slot<K, V> slot = new Slot<>(keyDecoder, valueDecoder, results);
      slot.nextInTable = free;
      free = slot;
      all.add(slot);
    }
  }

  /** The time at which the next records are taken. */
  void now(long nanos) {
    nowNanos = nanos;
  }

  /** Since the oldest record under way was taken; 0 if none is. It looks at all slots. */
  long oldestAge(long now) {
    long oldest = 0;
    for (Slot<K, V> slot : all) {
      if (slot.partition != null) {
        oldest = Math.max(oldest, now - slot.takenNanos);
      }
    }
    return oldest;
  }

  /** Has records wait for a transaction when they are done. Before the first one is taken. */
  void holdUntilCommit(HeldRecords<K, V> until) {
    held = until;
  }

  void admission(Admission<K, V> by) {
    admission = by;
  }

  int underWay() {
    return underWay;
  }

  int waiting() {
    return waiting;
  }

  /** Records of retry topics that are under way. */
  int inStages() {
    return inStages;
  }

  /** How many records of retry topics have ended, since the start. */
  long endedInStages() {
    return endedInStages;
  }

  long bytes() {
    return memory.bytes();
  }

  DueSlots<K, V> due() {
    return due;
  }

  /** Whether another record can be taken, of any partition. */
  boolean hasSlot() {
    return free != null;
  }

  boolean hasRoom(PartitionWork partition) {
    return partition.underWay < mostPerPartition;
  }

  int mostPerPartition() {
    return mostPerPartition;
  }

  /**
   * Shares the places among partitions, unless the settings have a number for each. With more for one of them, a few
   * partitions that wait for a slow handler would take the places of all others.
   */
  void share(int partitions) {
    if (setPerPartition == 0) {
      mostPerPartition = Math.max(1, slots / Math.max(1, partitions));
    }
  }

  /** Takes a record, or finds that it was done before; false if there is no memory for it. */
  boolean take(PartitionWork partition, ConsumerRecord<K, V> record) {
    return take(partition, record, null, 0);
  }

  /** The same for a record of a retry topic, with what its headers say and when it is due. */
  boolean take(PartitionWork partition, ConsumerRecord<K, V> record, @Nullable Origin origin, long dueNanos) {
    long offset = record.offset();
    if (partition.wasDone(offset)) {
      partition.done(partition.window.add(offset));
      return true;
    }
    int bytes = CopiedRecord.bytesOf(record);
    RecordPage page = memory.reserve(bytes);
    Slot<K, V> slot = free;
    if (page == null || slot == null) {
      return false;
    }
    free = slot.nextInTable;
    slot.nextInTable = null;
    slot.copied().take(record, page.memory, page.take(bytes));
    memory.taken(bytes);
    slot.page = page;
    slot.bytes = bytes;
    slot.partition = partition;
    slot.takenNanos = nowNanos;
    slot.offset = offset;
    slot.place = partition.window.add(offset);
    partition.underWay++;
    inStages += partition.stage > 0 ? 1 : 0;
    underWay++;
    Slot<K, V> before = before(slot, partition);
    if (origin != null) {
      slot.origin = origin;
      slot.attempts = origin.attempts();
      slot.dueNanos = dueNanos;
      if (admission != null) {
        admission.taken(slot);
      }
    }
    if (before == null) {
      makeReady(slot);
    } else if (!before.append(slot)) {
      slot.after = before;
      slot.afterPlace = before.place;
      makeReady(slot);
    } else if (before.isWaiting) {
      slot.isWaiting = true;
      waiting++;
    }
    return true;
  }

  /** Whether a record of a retry topic would wait behind one that waits for its time. */
  boolean isBehindWaiting(PartitionWork partition, ConsumerRecord<K, V> record) {
    byte[] key = isOrderedInStages ? record.keyBytesCopy() : null;
    Slot<K, V> before = key == null ? null : keys.find(partition, key);
    return before != null && before.isWaiting;
  }

  /** A record whose turn has come waits until it is due, and so do those behind it. */
  void awaitDue(Slot<K, V> head) {
    for (Slot<K, V> slot = head; slot != null && !slot.isWaiting; slot = slot.follower()) {
      slot.isWaiting = true;
      waiting++;
    }
    due.add(head);
  }

  /** A record is due. Those behind it now wait for a record that is worked on. */
  void isDue(Slot<K, V> head) {
    for (Slot<K, V> slot = head; slot != null && slot.isWaiting; slot = slot.follower()) {
      slot.isWaiting = false;
      waiting--;
    }
  }

  /** The record that a new one waits for, if that is not done. */
  @SuppressWarnings("unchecked")
  private @Nullable Slot<K, V> before(Slot<K, V> slot, PartitionWork partition) {
    return switch (partition.stage == 0 || isOrderedInStages ? order : Order.NONE) {
      case BY_KEY -> {
        CopiedRecord<K, V> copy = slot.copied();
        if (copy.keyLength() < 0) {
          yield null;
        }
        slot.hash = KeyTable.hash(copy.memory(), copy.keyOffset(), copy.keyLength());
        yield keys.put(slot);
      }
      case BY_PARTITION -> {
        Slot<K, V> last = (Slot<K, V>) partition.last;
        partition.last = slot;
        yield last;
      }
      case NONE -> null;
    };
  }

  /**
   * May be begun as soon as {@link #publish} is called, if it is admitted. A worker that goes on to the record behind
   * its own asks nobody: the record before was admitted, so none of the key was pending in a later stage, and none has
   * come there since. Only records behind it could have gone there, and they wait.
   */
  void makeReady(Slot<K, V> slot) {
    Admission<K, V> by = admission;
    if (by == null || by.admits(slot)) {
      ready.add(slot, readyEnd++);
    }
  }

  /** Lets workers begin; gives how many records they did not see before. */
  int publish() {
    int count = (int) (readyEnd - readyPublished);
    if (count > 0) {
      ready.publish(readyEnd);
      readyPublished = readyEnd;
    }
    return count;
  }

  /** A worker has seen to its end; what waits for it was begun by the worker, or is here. */
  void done(Slot<K, V> slot) {
    HeldRecords<K, V> until = held;
    if (until == null) {
      slot.in().done(slot.place);
      ended(slot);
      free(slot);
    } else {
      until.add(slot);
    }
  }

  /** The same for one that a worker has not finished. */
  void doneByLoop(Slot<K, V> slot) {
    HeldRecords<K, V> until = held;
    if (until == null) {
      slot.in().done(slot.place);
      ended(slot);
    }
    Slot<K, V> next = slot.finish();
    if (next != null) {
      makeReady(next);
    }
    if (until == null) {
      free(slot);
    } else {
      until.add(slot);
    }
  }

  /** Its transaction is committed. */
  void committed(Slot<K, V> slot) {
    slot.in().window.acknowledgeAt(slot.place);
    ended(slot); // not before: results of later records of its key must not be seen earlier
    free(slot);
  }

  private void ended(Slot<K, V> slot) {
    if (admission != null) {
      admission.done(slot);
    }
  }

  /** It is done, and waits: its results count as long. */
  void hold(Slot<K, V> slot) {
    Results results = slot.results();
    slot.resultBytes = results == null ? 0 : results.bytes();
    memory.addResults(slot.resultBytes);
  }

  /** Its results are not sent. It has not failed, or fails with that. */
  void dropResults(Slot<K, V> slot) {
    memory.dropResults(slot.resultBytes);
    slot.resultBytes = 0;
    slot.dropResults();
  }

  /** It is not done and will not be: whoever has its partition next begins with it. So are all that wait for it. */
  void abandon(Slot<K, V> slot) {
    Slot<K, V> at = slot;
    while (at != null) {
      Slot<K, V> next = at.finish();
      free(at);
      at = next;
    }
  }

  /** A worker has abandoned it, and goes on with those that wait for it. */
  void abandonedByWorker(Slot<K, V> slot) {
    free(slot);
  }

  private void free(Slot<K, V> slot) {
    PartitionWork partition = slot.in();
    keys.remove(slot);
    if (partition.last == slot) {
      partition.last = null;
    }
    partition.underWay--;
    underWay--;
    if (slot.isWaiting) {
      waiting--;
    }
    if (partition.stage > 0) {
      inStages--;
      endedInStages++;
    }
    RecordPage page = slot.page;
    if (page != null) {
      memory.release(page, slot.bytes);
    }
    memory.dropResults(slot.resultBytes);
    slot.clear();
    slot.nextInTable = free;
    free = slot;
  }

  /** Abandons what waits for a time, of partitions that are not open any more. */
  void abandonDue() {
    abandonDue(slot -> !slot.in().isOpen());
  }

  /** Abandons what waits for the due time of a retry topic: it waits there. */
  void abandonWaiting() {
    abandonDue(slot -> slot.isWaiting);
  }

  private void abandonDue(Predicate<Slot<K, V>> which) {
    List<Slot<K, V>> kept = new ArrayList<>(due.size());
    for (Slot<K, V> slot = due.takeAny(); slot != null; slot = due.takeAny()) {
      if (which.test(slot)) {
        abandon(slot);
      } else {
        kept.add(slot);
      }
    }
    kept.forEach(due::add);
  }

  void close() {
    memory.close();
  }
}
