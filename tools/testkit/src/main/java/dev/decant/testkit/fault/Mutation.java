package dev.decant.testkit.fault;

import java.util.Arrays;
import java.util.Random;

/** A random change of bytes that keeps their number: bits, bytes, or a number of two or four bytes. */
final class Mutation {
  /** Half of the changes hit one of this many bytes at the beginning, where protocols have their headers. */
  private static final int HEADER_BYTES = 64;
  private static final int MOST_OVERWRITTEN = 16;
  private static final int KINDS = 5;
  private static final int[] NUMBERS = {0, 1, -1, -2, 127, 128, 255, 32_767, 32_768, 65_535, 1 << 20, 1 << 24,
      Integer.MAX_VALUE, Integer.MIN_VALUE};

  private Mutation() {}

  /** Changes at least one of the bytes from {@code at}; there must be at least one. */
  static void apply(byte[] bytes, int at, int length, Random random) {
    int reach = random.nextBoolean() ? Math.min(length, HEADER_BYTES) : length;
    int where = at + random.nextInt(reach);
    int left = at + length - where;
    byte[] before = Arrays.copyOfRange(bytes, where, where + Math.min(left, MOST_OVERWRITTEN));
    switch (random.nextInt(KINDS)) {
      case 0 -> bytes[where] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      case 1 -> bytes[where] = (byte) random.nextInt();
      case 2 -> number(bytes, where, Math.min(left, Short.BYTES), random);
      case 3 -> number(bytes, where, Math.min(left, Integer.BYTES), random);
      default -> overwrite(bytes, where, Math.min(left, 1 + random.nextInt(MOST_OVERWRITTEN)), random);
    }
    if (Arrays.equals(before, 0, before.length, bytes, where, where + before.length)) {
      bytes[where] ^= 1;
    }
  }

  /** Replaces a big-endian number by a bound of its type, a neighbour of its value, or a small number. */
  private static void number(byte[] bytes, int at, int size, Random random) {
    int old = 0;
    for (int i = 0; i < size; i++) {
      old = old << Byte.SIZE | (bytes[at + i] & 0xFF);
    }
    int fresh = switch (random.nextInt(3)) {
      case 0 -> NUMBERS[random.nextInt(NUMBERS.length)];
      case 1 -> old + (random.nextBoolean() ? 1 : -1);
      default -> random.nextInt(HEADER_BYTES);
    };
    for (int i = size - 1; i >= 0; i--) {
      bytes[at + i] = (byte) fresh;
      fresh >>= Byte.SIZE;
    }
  }

  private static void overwrite(byte[] bytes, int at, int size, Random random) {
    for (int i = 0; i < size; i++) {
      bytes[at + i] = (byte) random.nextInt();
    }
  }
}
