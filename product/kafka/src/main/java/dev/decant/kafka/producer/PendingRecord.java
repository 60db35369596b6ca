package dev.decant.kafka.producer;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way into a batch, as bytes: a value that is a byte array of {@link Serdes#bytes()} stays where it is,
 * everything else is copied or encoded into scratch memory here. No code of the user's runs between a claim and its
 * commit. Reused; used by one thread at a time.
 *
 * <p>It refers to nothing of the user's. A reference stored in an object that lives long costs the collector's write
 * barrier, with G1 a full fence, and would keep the user's objects alive; so value and listener travel as arguments.
 */
final class PendingRecord extends FreeList.Node {
  private static final byte[] NO_BYTES = {};
  /** Of a record whose keys and values are bytes already. */
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
  /** -1 for a null key. */
  int keySize;
  /** -1 for a null value. */
  int valueSize;

  byte[] headerBytes = NO_BYTES;
  int headersSize;
  int headerCount;

  /** {@link Partitioner#STICKY} to ask the partitioner. */
  int partition;
  long timestamp;
  long tag;
  /** The sending thread is about to drive the loop itself: nobody need be woken for this record. */
  boolean senderDrives;
  /** Its thread has waited for memory, and may take some though others wait. */
  boolean isItsTurn;
  /** The partition was not asked for: no batch need begin for the record where it was meant to go. */
  boolean mayGoElsewhere;
  /** A batch was begun for it, or is full: the owner of the loop should hear of that. */
  boolean needsWakeup;

  /** The number of the router that the thread has used last. */
  private int router;
  /** Where its thread sends to by that router, see {@link StickyPartitions}. */
  private int stripe;
  /** How often its thread lost a race for room in the batch of this number, since it last changed the stripe. */
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

  /** Where its thread sends to by a router: where all begin, if it has used another one meanwhile. */
  int stripeIn(int number) {
    if (router != number) {
      router = number;
      comeBack();
    }
    return stripe;
  }

  /** Another thread was faster, while a partition's batch of this number took records. */
  void losesRace(long batch) {
    lostRaces = batch == racedFor ? lostRaces + 1 : 1;
    racedFor = batch;
  }

  /** Whether to go where fewer threads are, which the record may. */
  boolean isContended() {
    return mayGoElsewhere && lostRaces >= lostRaceLimit;
  }

  /** Goes to another stripe, and stays there longer than here: there may be more threads than partitions. */
  void moveTo(int other) {
    stripe = other;
    lostRaces = 0;
    lostRaceLimit = Math.min(2 * lostRaceLimit, MANY_RACES);
  }

  /** Goes back to where all begin. */
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

  /** Whether what it would encode is bytes already, so that it need not be asked. */
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
   * Takes the value.
   *
   * @return the array to copy into the batch; null if there is no value, or if it was encoded and lies here
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

  /** Adds headers behind those that are there. */
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

  /** The value, which lies here unless it is given. */
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

  /** Becomes a record that was kept; its value travels as an argument. */
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
        headersSize = sizeBefore; // without what it added: it is called again
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
