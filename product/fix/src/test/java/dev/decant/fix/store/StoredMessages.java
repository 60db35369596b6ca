package dev.decant.fix.store;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What tests put into stores, and read back. */
final class StoredMessages {
  static final SessionId SESSION = SessionId.of("FIX.4.4", "BANK", "BROKER");
  static final long BEGUN = 1_700_000_000_000_000_000L;

  private StoredMessages() {}

  /** Texts of all messages that a store replays, with their numbers and times. */
  static List<String> replayed(MessageStore store) throws IOException {
    return replayed(store, 1, Long.MAX_VALUE);
  }

  static List<String> replayed(MessageStore store, long from, long to) throws IOException {
    List<String> texts = new ArrayList<>();
    store.replayOutbound(from, to, (number, time, buffer, begin, end) -> {
      texts.add(text(number, time, buffer, begin, end));
      return true;
    });
    return texts;
  }

  static List<String> arrived(MessageStore store) throws IOException {
    List<String> texts = new ArrayList<>();
    store.replayInbound(1, Long.MAX_VALUE, (number, time, buffer, begin, end) -> {
      texts.add(text(number, time, buffer, begin, end));
      return true;
    });
    return texts;
  }

  static String text(long number, long time, ByteBuffer buffer, int from, int to) {
    byte[] bytes = new byte[to - from];
    buffer.get(from, bytes);
    return text(number, time, new String(bytes, StandardCharsets.US_ASCII));
  }

  static String text(long number, long time, String body) {
    return number + "@" + time + ":" + body;
  }

  /** Sends the next message. */
  static boolean send(MessageStore store, String body) {
    long number = store.nextOutbound();
    return store.appendOutbound(number, time(number), bytes(body), 0, body.length());
  }

  /** Sends messages with the bodies "message 1", "message 2", ... */
  static void sendNumbered(MessageStore store, int count) {
    for (int i = 0; i < count; i++) {
      long number = store.nextOutbound();
      if (!send(store, numbered(number))) {
        throw new AssertionError("number " + number + " is refused: " + store.failure());
      }
    }
  }

  static String numbered(long number) {
    return "message " + number;
  }

  static List<String> numberedTexts(long from, long to) {
    List<String> texts = new ArrayList<>();
    for (long i = from; i <= to; i++) {
      texts.add(text(i, time(i), numbered(i)));
    }
    return texts;
  }

  static boolean receive(MessageStore store, String body) {
    long number = store.nextInbound();
    return store.appendInbound(number, time(number), bytes(body), 0, body.length());
  }

  static long time(long number) {
    return BEGUN + number;
  }

  static ByteBuffer bytes(String body) {
    byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
  }
}
