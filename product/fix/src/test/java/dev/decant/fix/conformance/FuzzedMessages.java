package dev.decant.fix.conformance;

import dev.decant.fix.store.MessageStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Messages of a counterparty that makes no sense: mostly plausible ones, with plausible numbers. */
final class FuzzedMessages {
  private static final String[] TYPES = {"0", "1", "2", "3", "4", "5", "A", "D", "D", "D", "8", "j", "*", "ZZ"};
  private static final String[] VALUES = {"", "Y", "N", "0", "1", "2", "-1", "999999", "999999999999999999",
      "9223372036854775808", "x", "20260314-09:26:53.000", "1=2", "\u00ff", "SELLER", "BUYER", "1.5"};
  private static final int[] TAGS = {1, 7, 16, 34, 36, 43, 45, 49, 50, 52, 56, 57, 58, 78, 79, 80, 89, 93, 95, 96, 97,
      98, 108, 112, 115, 116, 122, 123, 128, 129, 141, 144, 145, 369, 386, 336, 789, 1137, 5001, 0};

  private final Random random;
  private final String beginString;
  private final MessageStore store;

  FuzzedMessages(Random random, String beginString, MessageStore store) {
    this.random = random;
    this.beginString = beginString;
    this.store = store;
  }

  /** The next one, for a session that goes by this time. */
  byte[] next(long epochNanos, boolean loggedOn) {
    String type = !loggedOn && random.nextInt(8) != 0 ? "A" : TYPES[random.nextInt(TYPES.length)];
    if (loggedOn && (type.equals("5") || type.equals("A")) && random.nextInt(4) != 0) {
      type = "D";
    }
    List<Field> fields = new ArrayList<>();
    add(fields, 35, type);
    add(fields, 49, SessionUnderTest.THEIRS);
    add(fields, 56, SessionUnderTest.OURS);
    add(fields, 34, Long.toString(number(store.nextInbound())));
    add(fields, 52, Message.timestamp(epochNanos + (random.nextInt(30) == 0 ? random.nextInt() * 1_000L : 0)));
    if (random.nextInt(6) == 0) {
      add(fields, 43, "Y");
      add(fields, 122, Message.timestamp(epochNanos - random.nextInt(1_000_000_000)));
    }
    addBody(fields, type);
    for (int i = random.nextInt(10) - 7; i > 0; i--) {
      Field field = new Field(TAGS[random.nextInt(TAGS.length)], VALUES[random.nextInt(VALUES.length)], false);
      fields.add(random.nextInt(fields.size() + 1), field);
    }
    if (random.nextInt(60) == 0) {
      add(fields, 58, "y".repeat(random.nextInt(3_000)));
    }
    byte[] message = Message.of(beginString, fields);
    return random.nextInt(12) == 0 ? mutated(message) : message;
  }

  private static void add(List<Field> fields, int tag, String value) {
    fields.add(new Field(tag, value, false));
  }

  private void addBody(List<Field> fields, String type) {
    switch (type) {
      case "A" -> {
        add(fields, 98, "0");
        add(fields, 108, Integer.toString(random.nextInt(40)));
        if (random.nextInt(4) == 0) {
          add(fields, 141, "Y");
        }
        if (random.nextInt(3) == 0) {
          add(fields, 789, Long.toString(number(store.nextOutbound())));
        }
        if (beginString.startsWith("FIXT")) {
          add(fields, 1137, "7");
        }
      }
      case "1" -> add(fields, 112, "T" + random.nextInt(100));
      case "2" -> {
        add(fields, 7, Long.toString(number(Math.max(1, store.nextOutbound() - random.nextInt(20)))));
        add(fields, 16, random.nextBoolean() ? "0" : Long.toString(number(store.nextOutbound())));
      }
      case "3" -> add(fields, 45, Long.toString(number(store.nextOutbound())));
      case "4" -> {
        add(fields, 123, random.nextInt(3) == 0 ? "N" : "Y");
        add(fields, 36, Long.toString(number(store.nextInbound() + random.nextInt(4))));
      }
      case "D" -> {
        for (String field : List.of("11=A", "21=1", "55=INTC", "54=1", "38=100", "40=1")) {
          add(fields, Integer.parseInt(field.substring(0, 2)), field.substring(3));
        }
        add(fields, 60, "20260314-09:26:53");
      }
      default -> {
      }
    }
  }

  private long number(long likely) {
    return switch (random.nextInt(24)) {
      case 0, 1 -> likely + 1;
      case 2 -> likely + random.nextInt(20);
      case 3, 4 -> Math.max(0, likely - 1 - random.nextInt(5));
      case 5 -> random.nextInt(8) == 0 ? 999_999_999_999_999_999L : likely;
      default -> likely;
    };
  }

  private byte[] mutated(byte[] message) {
    byte[] changed = message.clone();
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(changed.length);
      changed[at] = switch (random.nextInt(4)) {
        case 0 -> (byte) '=';
        case 1 -> 1;
        case 2 -> (byte) ('0' + random.nextInt(10));
        default -> (byte) random.nextInt(256);
      };
      if (changed[at] == '|' || changed[at] == '^') {
        changed[at] = '~'; // a reader takes the other two for SOH
      }
    }
    return random.nextInt(3) == 0 ? Arrays.copyOf(changed, random.nextInt(changed.length) + 1) : changed;
  }
}
