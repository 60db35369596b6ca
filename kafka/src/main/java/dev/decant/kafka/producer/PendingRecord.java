package dev.decant.kafka.producer;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way into a batch, as bytes: byte arrays of {@link Serdes#bytes()} are used where they are, everything
 * else is encoded into scratch memory here. No code of the user's runs between a claim and its commit. Reused; used by
 * one thread at a time.
 */
final class PendingRecord {
  private static final byte[] NO_BYTES = {};

  private final boolean plainKeys;
  private final boolean plainValues;
  private final BytesWriter writer = new BytesWriter();
  private ByteBuffer scratch = ByteBuffer.allocateDirect(1024);
  private byte[] ownKey = new byte[64];

  byte[] keyBytes = NO_BYTES;
  /** -1 for a null key. */
  int keySize;
  /** -1 for a null value. */
  int valueSize;
  private byte @Nullable [] valueBytes;

  byte[] headerBytes = NO_BYTES;
  int headersSize;
  int headerCount;

  long timestamp;
  long tag;
  @Nullable
  SendListener listener;

  /** Tells of each encoder whether it is that of {@link Serdes#bytes()}, so that it need not be asked. */
  PendingRecord(boolean plainKeys, boolean plainValues) {
    this.plainKeys = plainKeys;
    this.plainValues = plainValues;
  }

  <K> void key(@Nullable K key, Encoder<? super K> encoder) {
    if (key == null) {
      keySize = -1;
    } else if (plainKeys && key instanceof byte[] bytes) {
      keyBytes = bytes;
      keySize = bytes.length;
    } else {
      keySize = encode(key, encoder);
      if (ownKey.length < keySize) {
        ownKey = new byte[keySize];
      }
      scratch.get(0, ownKey, 0, keySize);
      keyBytes = ownKey;
    }
  }

  <V> void value(@Nullable V value, Encoder<? super V> encoder) {
    if (value == null) {
      valueBytes = null;
      valueSize = -1;
    } else if (plainValues && value instanceof byte[] bytes) {
      valueBytes = bytes;
      valueSize = bytes.length;
    } else {
      valueBytes = null;
      valueSize = encode(value, encoder);
    }
  }

  void headers(@Nullable Headers headers) {
    headerBytes = headers == null ? NO_BYTES : headers.encoded();
    headersSize = headers == null ? 0 : headers.sizeInBytes();
    headerCount = headers == null ? 0 : headers.count();
  }

  private <T> int encode(T object, Encoder<? super T> encoder) {
    while (true) {
      try {
        writer.wrap(scratch, 0, scratch.capacity());
        encoder.encode(object, writer);
        return writer.position();
      } catch (BufferTooSmallException e) {
        scratch = ByteBuffer.allocateDirect(Math.multiplyExact(scratch.capacity(), 2));
      }
    }
  }

  /** Writes the value, which is not null, at a place that has room for it. */
  void putValue(ByteBuffer target, int at) {
    byte[] bytes = valueBytes;
    if (bytes != null) {
      target.put(at, bytes, 0, valueSize);
    } else {
      target.put(at, scratch, 0, valueSize);
    }
  }

  /** Forgets what it refers to, so that a pooled record keeps nothing of the user's alive. */
  void clear() {
    keyBytes = NO_BYTES;
    valueBytes = null;
    headerBytes = NO_BYTES;
    listener = null;
  }
}
