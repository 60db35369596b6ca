package dev.decant.kafka.producer;

import dev.decant.kafka.Header;
import dev.decant.kafka.serialization.EncodeContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The view of a record being prepared that its encoders get. Used by one thread at a time. */
final class EncodedRecord implements EncodeContext {
  private final PendingRecord record;
  private final boolean isKey;
  private String topic = "";

  /** Position in the headers that are being read. */
  private int at;

  EncodedRecord(PendingRecord record, boolean isKey) {
    this.record = record;
    this.isKey = isKey;
  }

  /** Directs the view to a record of a topic. */
  @SuppressWarnings("ReferenceEquality") // a producer has one object: a store per record would cost a write barrier
  EncodedRecord in(String of) {
    if (topic != of) {
      topic = of;
    }
    return this;
  }

  @Override
  public String topic() {
    return topic;
  }

  @Override
  public boolean isKey() {
    return isKey;
  }

  @Override
  public void addHeader(String key, byte @Nullable [] value) {
    record.addHeaders(new Headers().add(key, value));
  }

  @Override
  public byte @Nullable [] header(String key) {
    byte[] wanted = key.getBytes(StandardCharsets.UTF_8);
    byte[] found = null;
    at = 0;
    for (int i = 0; i < record.headerCount; i++) {
      boolean matches = Arrays.equals(nextBytes(), wanted);
      byte[] value = nextBytes();
      found = matches ? value : found;
    }
    return found;
  }

  @Override
  public List<Header> headers() {
    List<Header> headers = new ArrayList<>(record.headerCount);
    at = 0;
    for (int i = 0; i < record.headerCount; i++) {
      String key = new String(Objects.requireNonNull(nextBytes(), "key"), StandardCharsets.UTF_8);
      headers.add(new Header(key, nextBytes()));
    }
    return headers;
  }

  /** Reads the next length and its bytes; null for a length of -1. */
  private byte @Nullable [] nextBytes() {
    int zigZag = 0;
    int shift = 0;
    byte b;
    do {
      b = record.headerBytes[at++];
      zigZag |= (b & 0x7f) << shift;
      shift += 7;
    } while (b < 0);
    int length = (zigZag >>> 1) ^ -(zigZag & 1);
    if (length < 0) {
      return null;
    }
    at += length;
    return Arrays.copyOfRange(record.headerBytes, at - length, at);
  }
}
