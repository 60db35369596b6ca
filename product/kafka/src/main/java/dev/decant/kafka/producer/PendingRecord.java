package dev.decant.kafka.producer;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way into a batch, as bytes. A value that is a byte array of {@link Serdes#bytes()} stays where it is;
 * everything else is copied or encoded into scratch memory here. No code of the user runs between a claim and its
 * commit. Reused; used by one thread at a time.
 *
 * <p>It refers to no object of the user. A reference stored in an old object costs the collector's write barrier, with
 * G1 a full fence, and keeps the user's object alive. Value and listener are therefore arguments.
 */
final class PendingRecord extends FreeList.Node {
  private static final byte[] NO_BYTES = {};
  /** Scratch memory of a record whose keys and values are bytes already. */
  private static final ByteBuffer NO_SCRATCH = ByteBuffer.allocateDirect(0);
  private static final int SCRATCH_BYTES = 1024;
  private static final int LARGE_BYTES = 16 * 1024;
  private static final int FEW_RACES = 8;
  private static final int MANY_RACES = 1 << 16;

  private final EncodedRecord keyContext = new EncodedRecord(this, true);
  private final EncodedRecord valueContext = new EncodedRecord(this, false);
  private final BytesWriter writer = new BytesWriter();
  private ByteBuffer scratch = NO_SCRATCH;

  byte[] keyBytes = new byte[64];
  /** Bytes of the key; -1 for a null key. */
  int keySize;
  /** Bytes of the value; -1 for a null value. */
  int valueSize;

  byte[] headerBytes = NO_BYTES;
  int headersSize;
  int headerCount;

  /** The partition that the caller names; {@link Partitioner#STICKY} to ask the partitioner. */
  int partition;
  long timestamp;
  long tag;
  /** True if the sending thread is about to drive the loop itself: no thread is woken for the record. */
  boolean senderDrives;
  /** True if its thread has waited for memory, and may take some though others wait. */
  boolean isItsTurn;
  /** True if the caller names no partition: the record may go to another one than the sticky partition. */
  boolean mayGoElsewhere;
  /** True if a batch was begun for the record, or is full: the owner of the loop must hear of it. */
  boolean needsWakeup;

  /** Number of the router that the thread used last. */
  private int router;
  /** Stripe of its thread in that router, see {@link StickyPartitions}. */
  private int stripe;
  /** Number of races that its thread lost in the batch {@link #racedFor}, since it last changed the stripe. */
  private int lostRaces;
  private long racedFor;
  private int lostRaceLimit = FEW_RACES;

  @Override
  boolean isLarge() {
    return scratch.capacity() + keyBytes.length + headerBytes.length > LARGE_BYTES;
  }

  int stripe() {
    return stripe;
  }

  /** Stripe of its thread in a router: the first one if the thread has used another router meanwhile. */
  int stripeIn(int number) {
    if (router != number) {
      router = number;
      comeBack();
    }
    return stripe;
  }

  /** Counts a race that another thread won, while the batch of this number took records. */
  void losesRace(long batch) {
    lostRaces = batch == racedFor ? lostRaces + 1 : 1;
    racedFor = batch;
  }

  /** Returns true if the record should go to a partition with fewer threads. */
  boolean isContended() {
    return mayGoElsewhere && lostRaces >= lostRaceLimit;
  }

  /** Goes to another stripe, for twice as many races: there may be more threads than partitions. */
  void moveTo(int other) {
    stripe = other;
    lostRaces = 0;
    lostRaceLimit = Math.min(2 * lostRaceLimit, MANY_RACES);
  }

  /** Goes back to the first stripe. */
  void comeBack() {
    stripe = 0;
    lostRaces = 0;
    lostRaceLimit = FEW_RACES;
  }

  <K> void key(String topic, @Nullable K key, Encoder<? super K> encoder) {
    if (key == null) {
      keySize = -1;
    } else if (key instanceof byte[] bytes && isPlain(encoder)) {
      keySize = bytes.length;
      System.arraycopy(bytes, 0, keyBuffer(), 0, keySize);
    } else {
      keySize = encode(key, encoder, keyContext.in(topic));
      scratch.get(0, keyBuffer(), 0, keySize);
    }
  }

  /** Returns true for the encoder of byte arrays, which need no encoding. */
  @SuppressWarnings("ReferenceEquality") // there is one
  private static boolean isPlain(Encoder<?> encoder) {
    return encoder == Serdes.bytes();
  }

  private byte[] keyBuffer() {
    if (keyBytes.length < keySize) {
      keyBytes = new byte[Math.max(keySize, keyBytes.length * 2)];
    }
    return keyBytes;
  }

  /**
   * Takes the value. Returns the array to copy into the batch; null if there is no value, or if it was encoded into the
   * scratch memory.
   */
  <V> byte @Nullable [] value(String topic, @Nullable V value, Encoder<? super V> encoder) {
    if (value == null) {
      valueSize = -1;
      return null;
    }
    if (value instanceof byte[] bytes && isPlain(encoder)) {
      valueSize = bytes.length;
      return bytes;
    }
    valueSize = encode(value, encoder, valueContext.in(topic));
    return null;
  }

  void headers(@Nullable Headers headers) {
    if (headers == null) {
      headersSize = 0;
      headerCount = 0;
    } else {
      headersSlowPath(headers);
    }
  }

  private void headersSlowPath(Headers headers) {
    headersSize = headers.sizeInBytes();
    headerCount = headers.count();
    if (headerBytes.length < headersSize) {
      headerBytes = new byte[Math.max(headersSize, headerBytes.length * 2)];
    }
    System.arraycopy(headers.encoded(), 0, headerBytes, 0, headersSize);
  }

  /** Adds headers behind the present ones. */
  void addHeaders(Headers more) {
    int size = headersSize + more.sizeInBytes();
    if (headerBytes.length < size) {
      headerBytes = Arrays.copyOf(headerBytes, Math.max(size, headerBytes.length * 2));
    }
    System.arraycopy(more.encoded(), 0, headerBytes, headersSize, more.sizeInBytes());
    headersSize = size;
    headerCount += more.count();
  }

  byte @Nullable [] copyOfKey() {
    return keySize < 0 ? null : Arrays.copyOf(keyBytes, keySize);
  }

  /** Copies the value: the given array, or the encoded bytes if there is none. */
  byte @Nullable [] copyOfValue(byte @Nullable [] value) {
    if (value != null) {
      return value.clone();
    }
    if (valueSize < 0) {
      return null;
    }
    byte[] copy = new byte[valueSize];
    scratch.get(0, copy);
    return copy;
  }

  byte[] copyOfHeaders() {
    return Arrays.copyOf(headerBytes, headersSize);
  }

  /** Becomes a record that was kept. Its value is an argument of the append. */
  void restore(UnplacedRecords.Unplaced kept) {
    byte[] key = kept.key;
    keySize = key == null ? -1 : key.length;
    keyBytes = key == null ? keyBytes : key;
    byte[] value = kept.value;
    valueSize = value == null ? -1 : value.length;
    headerBytes = kept.headers;
    headersSize = headerBytes.length;
    headerCount = kept.headerCount;
    partition = kept.partition;
    timestamp = kept.timestamp;
    tag = kept.tag;
    senderDrives = false;
  }

  private <T> int encode(T object, Encoder<? super T> encoder, EncodedRecord context) {
    int sizeBefore = headersSize;
    int countBefore = headerCount;
    while (true) {
      try {
        writer.wrap(scratch, 0, scratch.capacity());
        encoder.encode(object, context, writer);
        return writer.position();
      } catch (BufferTooSmallException e) {
        headersSize = sizeBefore; // drops headers that the encoder added: it is called again
        headerCount = countBefore;
        scratch = ByteBuffer.allocateDirect(Math.max(SCRATCH_BYTES, Math.multiplyExact(scratch.capacity(), 2)));
      }
    }
  }

  /** Writes the encoded value at a place that has room for it. */
  void putEncodedValue(ByteBuffer target, int at) {
    target.put(at, scratch, 0, valueSize);
  }
}
