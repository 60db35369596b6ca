package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.CopiedRecord;
import dev.decant.kafka.serialization.Decoder;
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
  private final int mostPerPartition;
  /** What is done waits there for its transaction; null without transactions. */
  private @Nullable HeldRecords<K, V> held;
  private @Nullable Slot<K, V> free;
  private int underWay;
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
    this.mostPerPartition = settings.maxUnderWayPerPartition();
    this.keys = new KeyTable<>(slots);
    this.memory = new RecordMemory(settings.maxBytes());
    for (int i = 0; i < slots; i++) {
      Slot<K, V> slot = new Slot<>(keyDecoder, valueDecoder, results);
      slot.nextInTable = free;
      free = slot;
    }
  }

  /** Has records wait for a transaction when they are done. Before the first one is taken. */
  void holdUntilCommit(HeldRecords<K, V> until) {
    held = until;
  }

  int underWay() {
    return underWay;
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

  /** Takes a record, or finds that it was done before; false if there is no memory for it. */
  boolean take(PartitionWork partition, ConsumerRecord<K, V> record) {
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
    slot.offset = offset;
    slot.place = partition.window.add(offset);
    partition.underWay++;
    underWay++;
    Slot<K, V> before = before(slot, partition);
    if (before == null) {
      makeReady(slot);
    } else if (!before.append(slot)) {
      slot.after = before;
      slot.afterPlace = before.place;
      makeReady(slot);
    }
    return true;
  }

  /** The record that a new one waits for, if that is not done. */
  @SuppressWarnings("unchecked")
  private @Nullable Slot<K, V> before(Slot<K, V> slot, PartitionWork partition) {
    return switch (order) {
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

  /** May be begun as soon as {@link #publish} is called. */
  void makeReady(Slot<K, V> slot) {
    ready.add(slot, readyEnd++);
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
      free(slot);
    } else {
      until.add(slot);
    }
  }

  /** The same for one that a worker has not finished. */
  void doneByLoop(Slot<K, V> slot) {
    Slot<K, V> next = slot.finish();
    if (next != null) {
      makeReady(next);
    }
    done(slot);
  }

  /** Its transaction is committed. */
  void committed(Slot<K, V> slot) {
    slot.in().window.acknowledgeAt(slot.place);
    free(slot);
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
    int count = due.size();
    @SuppressWarnings({"unchecked", "rawtypes"})
    Slot<K, V>[] kept = new Slot[count];
    int size = 0;
    for (Slot<K, V> slot = due.takeAny(); slot != null; slot = due.takeAny()) {
      if (slot.in().isOpen()) {
        kept[size++] = slot;
      } else {
        abandon(slot);
      }
    }
    for (int i = 0; i < size; i++) {
      due.add(kept[i]);
    }
  }

  void close() {
    memory.close();
  }
}
