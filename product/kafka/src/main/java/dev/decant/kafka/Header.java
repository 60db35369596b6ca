package dev.decant.kafka;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A header of a record. A record may have more than one with the same key. Immutable. */
public final class Header {
  private final String key;
  private final byte @Nullable [] value;

  /**
   * Makes a header with a copy of the bytes.
   *
   * @param key its key
   * @param value its bytes, or null
   */
  public Header(String key, byte @Nullable [] value) {
    this.key = Objects.requireNonNull(key, "key");
    this.value = value == null ? null : value.clone();
  }

  /**
   * Returns the key.
   *
   * @return the key
   */
  public String key() {
    return key;
  }

  /**
   * Returns the value.
   *
   * @return a copy of the bytes; null if there is none
   */
  public byte @Nullable [] value() {
    byte[] bytes = value;
    return bytes == null ? null : bytes.clone();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Header that && key.equals(that.key) && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    byte[] bytes = value;
    return key + "=" + (bytes == null ? "null" : bytes.length + " bytes");
  }
}
