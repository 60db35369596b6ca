package dev.decant.kafka.serialization;

import dev.decant.kafka.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record of which an {@link Encoder} writes the key or the value. Valid during the call, on its thread.
 */
public interface EncodeContext {
  /**
   * The topic that the record is sent to.
   *
   * @return its name
   */
  String topic();

  /**
   * What is written.
   *
   * @return true for the key, false for the value
   */
  boolean isKey();

  /**
   * Adds a header to the record, behind those that its sender gave and those that were added for the key.
   *
   * @param key the header's key
   * @param value its value, or null
   */
  void addHeader(String key, byte @Nullable [] value);

  /**
   * The value of the last header with a key.
   *
   * @param key the header's key
   * @return a copy; null if there is no such header or its value is null
   */
  byte @Nullable [] header(String key);

  /**
   * All headers that the record has so far.
   *
   * @return copies in the order of the record; a key may be there more than once
   */
  List<Header> headers();
}
