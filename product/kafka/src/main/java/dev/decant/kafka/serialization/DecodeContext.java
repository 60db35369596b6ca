package dev.decant.kafka.serialization;

import dev.decant.kafka.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record of which a {@link Decoder} reads the key or the value. Valid during the call, on its thread.
 */
public interface DecodeContext {
  /**
   * The topic that the record was read from.
   *
   * @return its name
   */
  String topic();

  /**
   * What is read.
   *
   * @return true for the key, false for the value
   */
  boolean isKey();

  /**
   * The value of the last header with a key.
   *
   * @param key the header's key
   * @return a copy; null if there is no such header or its value is null
   */
  byte @Nullable [] header(String key);

  /**
   * All headers.
   *
   * @return copies in the order of the record; a key may be there more than once
   */
  List<Header> headers();
}
