package dev.decant.kafka.work;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.buffer.BytesWriter;
import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.Header;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.EncodeContext;
import dev.decant.kafka.serialization.Encoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The encoded results of an attempt, until the transaction of their record is committed. The thread of the handler
 * writes them. Then the loop owns them, and lends them to the thread of transactions. The object serves other records
 * later.
 *
 * <pre>
 *   memory:    | key | value | key | value | ...
 *   places:    at, length of key, length of value (-1 for null), for each result
 * </pre>
 */
final class Results {
  /** The most places that are kept for the next record. */
  private static final int KEPT = 64;
  private static final int FIRST_BYTES = 256;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final ResultMemory memory;
  private final BytesWriter out = new BytesWriter();
  private final Context context = new Context();
  private @Nullable String[] topics = new String[2];
  private int[] places = new int[2 * 3];
  /** Options by result, made for the first result at a place that has some, and kept. */
  private @Nullable SendOptions[] options = new SendOptions[2];
  private boolean[] hasOptions = new boolean[2];
  private int count;
  private int used;
  private @Nullable PooledBuffer lease;
  /** The memory of the lease, or of the heap if the pool had none. */
  private ByteBuffer buffer = NOTHING;
  /** A second view of {@link #buffer}: the producer reads key and value of a result at once. */
  private ByteBuffer values = NOTHING;

  Results(ResultMemory memory) {
    this.memory = memory;
  }

  int count() {
    return count;
  }

  int bytes() {
    return used;
  }

  /** Adds a result. If an encoder throws, nothing was added. */
  <K, V> void add(ResultTopic<K, V> topic, @Nullable K key, @Nullable V value, @Nullable SendOptions with) {
    begin(topic.name(), with);
    int before = used;
    boolean isAdded = false;
    try {
      place(encode(topic.keys(), key, true), encode(topic.values(), value, false));
      isAdded = true;
    } finally {
      if (!isAdded) {
        used = before;
      }
    }
  }

  /** Adds a result that is encoded already. */
  void add(String topic, byte @Nullable [] key, byte @Nullable [] value, @Nullable SendOptions with) {
    begin(topic, with);
    ensure((long) lengthOf(key) + lengthOf(value));
    place(put(key), put(value));
  }

  private void begin(String topic, @Nullable SendOptions with) {
    if (count == topics.length) {
      topics = Arrays.copyOf(topics, 2 * count);
      places = Arrays.copyOf(places, 2 * 3 * count);
      options = Arrays.copyOf(options, 2 * count);
      hasOptions = Arrays.copyOf(hasOptions, 2 * count);
    }
    topics[count] = topic;
    hasOptions[count] = with != null;
    if (with != null) {
      optionsOf(count).copyOf(with);
    }
  }

  private SendOptions optionsOf(int result) {
    SendOptions of = options[result];
    if (of == null) {
      of = new SendOptions();
      options[result] = of;
    }
    return of;
  }

  private void place(int keyLength, int valueLength) {
    int at = used - Math.max(keyLength, 0) - Math.max(valueLength, 0);
    places[3 * count] = at;
    places[3 * count + 1] = keyLength;
    places[3 * count + 2] = valueLength;
    count++;
  }

  private static int lengthOf(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private int put(byte @Nullable [] bytes) {
    if (bytes == null) {
      return -1;
    }
    buffer.put(used, bytes);
    used += bytes.length;
    return bytes.length;
  }

  /** Encodes behind the last result. Returns the length; -1 for null. */
  private <T> int encode(Encoder<? super T> by, @Nullable T value, boolean isKey) {
    if (value == null) {
      return -1;
    }
    while (true) {
      context.begin(isKey);
      try {
        by.encode(value, context, out.wrap(buffer, used, buffer.capacity()));
        int length = out.position() - used;
        used += length;
        return length;
      } catch (BufferTooSmallException e) {
        context.dropAdded();
        growSlowPath();
      }
    }
  }

  private void ensure(long more) {
    long needed = used + more;
    if (needed > memory.mostBytes()) {
      throw tooMuch();
    }
    if (needed > buffer.capacity()) {
      moveTo((int) needed);
    }
  }

  private void growSlowPath() {
    if (buffer.capacity() >= memory.mostBytes()) {
      throw tooMuch();
    }
    moveTo((int) Math.min(Math.max(2L * buffer.capacity(), FIRST_BYTES), memory.mostBytes()));
  }

  private void moveTo(int bytes) {
    PooledBuffer larger = memory.tryLease(bytes);
    ByteBuffer next = larger == null ? ByteBuffer.allocate(bytes) : larger.buffer();
    next.put(0, buffer, 0, used);
    PooledBuffer before = lease;
    if (before != null) {
      before.release();
    }
    lease = larger;
    buffer = next;
    values = larger == null ? next.duplicate() : larger.window(0, 0);
  }

  private IllegalStateException tooMuch() {
    return new IllegalStateException("produce: the results of one record take more than " + memory.mostBytes()
        + " bytes; raise maxBytesUnderWay");
  }

  /** Sends all results. The listener gets the tag. */
  void send(AnyTopicProducer<ByteBuffer, ByteBuffer> by, long tag, SendListener listener) {
    for (int i = 0; i < count; i++) {
      int at = places[3 * i];
      int keyLength = places[3 * i + 1];
      int valueLength = places[3 * i + 2];
      int valueAt = at + Math.max(keyLength, 0);
      ByteBuffer key = keyLength < 0 ? null : buffer.limit(valueAt).position(at);
      ByteBuffer value = valueLength < 0 ? null : values.limit(valueAt + valueLength).position(valueAt);
      String topic = topics[i];
      if (topic == null) {
        throw new IllegalStateException("a result without a topic");
      }
      try {
        by.send(topic, key, value, hasOptions[i] ? options[i] : null, tag, listener);
      } finally {
        buffer.clear();
        values.clear();
      }
    }
  }

  /** Drops all results. */
  void clear() {
    PooledBuffer held = lease;
    if (held != null) {
      held.release();
      lease = null;
    }
    buffer = NOTHING;
    values = NOTHING;
    count = 0;
    used = 0;
    if (topics.length > KEPT) {
      topics = new String[2];
      places = new int[2 * 3];
      options = new SendOptions[2];
      hasOptions = new boolean[2];
    }
  }

  /** What an encoder sees of the result that is being added. */
  private final class Context implements EncodeContext {
    private boolean isKey;
    /** Number of headers that the encoder has added. */
    private int added;

    void begin(boolean ofKey) {
      isKey = ofKey;
      added = 0;
    }

    /** Drops the headers of an encoder that is called again: it would add them twice. */
    void dropAdded() {
      if (added > 0) {
        List<Header> all = headers();
        optionsOf(count).headers().clear().addAll(all.subList(0, all.size() - added));
      }
    }

    @Override
    public String topic() {
      String topic = topics[count];
      return topic == null ? "" : topic;
    }

    @Override
    public boolean isKey() {
      return isKey;
    }

    @Override
    public void addHeader(String key, byte @Nullable [] value) {
      if (!hasOptions[count]) {
        optionsOf(count).clear();
        hasOptions[count] = true;
      }
      optionsOf(count).headers().add(key, value);
      added++;
    }

    @Override
    public byte @Nullable [] header(String key) {
      byte[] found = null;
      for (Header header : headers()) {
        if (header.key().equals(key)) {
          found = header.value();
        }
      }
      return found;
    }

    @Override
    public List<Header> headers() {
      List<Header> all = new ArrayList<>();
      if (hasOptions[count]) {
        optionsOf(count).headers().forEach(all::add);
      }
      return all;
    }
  }
}
