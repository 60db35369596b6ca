package dev.decant.testkit;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Encodes ASN.1 (DER, X.690) as far as certificates need it: tag, length, content. */
final class Der {
  static final int OCTETS = 0x04;
  private static final int BOOLEAN = 0x01;
  private static final int INTEGER = 0x02;
  private static final int BITS = 0x03;
  private static final int OBJECT_IDENTIFIER = 0x06;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int SEQUENCE = 0x30;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
      .withZone(ZoneOffset.UTC);

  private Der() {}

  static byte[] value(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(tag);
    int length = content.size();
    if (length < 0x80) {
      all.write(length);
    } else {
      byte[] bytes = BigInteger.valueOf(length).toByteArray();
      int skipped = bytes[0] == 0 ? 1 : 0;
      all.write(0x80 | (bytes.length - skipped));
      all.write(bytes, skipped, bytes.length - skipped);
    }
    all.writeBytes(content.toByteArray());
    return all.toByteArray();
  }

  static byte[] sequence(byte[]... parts) {
    return value(SEQUENCE, parts);
  }

  /** Returns a field of a structure, by its number. */
  static byte[] field(int number, byte[]... parts) {
    return value(0xA0 | number, parts);
  }

  static byte[] integer(BigInteger number) {
    return value(INTEGER, number.toByteArray());
  }

  static byte[] yes() {
    return value(BOOLEAN, new byte[] {-1});
  }

  /** Returns a bit string of whole bytes. */
  static byte[] bits(byte[] content) {
    return value(BITS, new byte[1], content);
  }

  /** Returns a bit string of the first bits of a byte, from the highest on. */
  static byte[] bits(int highest, int unused) {
    return value(BITS, new byte[] {(byte) unused, (byte) highest});
  }

  static byte[] time(Instant instant) {
    return value(GENERALIZED_TIME, TIME.format(instant).getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns an object identifier, such as 2.5.29.19. */
  static byte[] identifier(int... numbers) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.write(40 * numbers[0] + numbers[1]);
    for (int i = 2; i < numbers.length; i++) {
      for (int shift = 28; shift > 0; shift -= 7) {
        if (numbers[i] >>> shift != 0) {
          content.write(0x80 | (numbers[i] >>> shift & 0x7F));
        }
      }
      content.write(numbers[i] & 0x7F);
    }
    return value(OBJECT_IDENTIFIER, content.toByteArray());
  }
}
