package dev.decant.fix.quickfix;

import dev.decant.fix.quickfix.store.StoredMessage;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.MessageStore;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stores numbers and messages in a store of QuickFIX/J, for example JdbcStore or one of the application. Each message
 * costs the work of that store, and a String. One thread at a time.
 */
final class StoreBridge implements MessageStore {
  /** How many messages a replay reads at once. */
  private static final int BATCH = 256;

  private final quickfix.MessageStore store;
  /** Why the last change failed; null if it did not. */
  private @Nullable IOException failure;
  /** Copy of the store's number, whose reading may fail. */
  private int nextOutbound;
  /** Copy of the store's number, whose reading may fail. */
  private int nextInbound;
  /**
   * Copy of the time at which the numbers began, whose reading may fail. A schedule resets numbers that began long ago.
   */
  private long createdEpochNanos;
  /** The number of a refused message that the store may have all the same; 0 if there is none. */
  private int refused;

  private StoreBridge(quickfix.MessageStore store) throws IOException {
    this.store = store;
    copyNumbers();
  }

  @SuppressWarnings("JavaUtilDate") // the type of QuickFIX/J's method
  private void copyNumbers() throws IOException {
    createdEpochNanos = TimeUnit.MILLISECONDS.toNanos(store.getCreationTime().getTime());
    nextOutbound = store.getNextSenderMsgSeqNum();
    nextInbound = store.getNextTargetMsgSeqNum();
  }

  static MessageStoreFactory factory(quickfix.MessageStoreFactory stores) {
    return (SessionId id, long epochNanos) -> {
      try {
        return new StoreBridge(stores.create(SessionIds.toQuickFix(id)));
      } catch (RuntimeException e) { // QuickFIX/J wraps exceptions of stores.
        throw new IOException("the store of session " + id + " cannot be opened: " + e.getMessage(), e);
      }
    };
  }

  /** A change of the store. */
  private interface Change {
    void make() throws IOException;
  }

  private boolean done(Change change) {
    try {
      change.make();
      failure = null;
      return true;
    } catch (IOException | RuntimeException e) {
      failure = e instanceof IOException io ? io : new IOException(e);
      return false;
    }
  }

  @Override
  public long nextOutbound() {
    return nextOutbound;
  }

  @Override
  public long nextInbound() {
    return nextInbound;
  }

  @Override
  public long createdEpochNanos() {
    return createdEpochNanos;
  }

  @Override
  public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    requireNext(number, nextOutbound);
    byte[] bytes = new byte[to - from];
    buffer.get(from, bytes);
    boolean isStored = done(() -> {
      store.set((int) number, new String(bytes, MessageConversion.charset()));
      store.setNextSenderMsgSeqNum((int) number + 1);
      nextOutbound++;
    });
    refused = isStored ? 0 : (int) number;
    return isStored;
  }

  @Override
  public boolean setNextOutbound(long number, long epochNanos) {
    return done(() -> {
      if (refused != 0) {
        forget(refused, refused);
        refused = 0;
      }
      forget(number, nextOutbound - 1L);
      store.setNextSenderMsgSeqNum(Math.toIntExact(number));
      nextOutbound = (int) number;
    });
  }

  /**
   * Overwrites messages whose numbers are used again. A store of QuickFIX/J keeps them, and a session message does not
   * replace one: an old order would be resent under the number of a Heartbeat(0).
   */
  private void forget(long from, long to) throws IOException {
    for (long first = from; first <= to; first += BATCH) {
      for (String message : messages(first, to)) {
        StoredMessage stored = StoredMessage.of(bytes(message));
        if (stored != null) {
          store.set((int) stored.number(), "");
        }
      }
    }
  }

  /** Reads messages of a batch, from the first number to the last one at most. */
  private List<String> messages(long first, long last) throws IOException {
    List<String> messages = new ArrayList<>();
    store.get((int) first, (int) Math.min(last, first + BATCH - 1), messages);
    return messages;
  }

  private static ByteBuffer bytes(String message) {
    return ByteBuffer.wrap(message.getBytes(MessageConversion.charset()));
  }

  @Override
  public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    requireNext(number, nextInbound);
    return setNextInbound(number + 1, epochNanos);
  }

  @Override
  public boolean setNextInbound(long number, long epochNanos) {
    return done(() -> {
      store.setNextTargetMsgSeqNum(Math.toIntExact(number));
      nextInbound = (int) number;
    });
  }

  private static void requireNext(long number, int next) {
    if (number != next) {
      throw new IllegalArgumentException("number " + number + " is not the next one, " + next);
    }
  }

  @Override
  public boolean reset(long epochNanos) {
    return done(() -> {
      store.reset();
      copyNumbers();
    });
  }

  @Override
  public boolean commit() {
    return true;
  }

  @Override
  public boolean needsCommit() {
    return false;
  }

  @Override
  public void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    long end = Math.min(toNumber, nextOutbound - 1L);
    for (long first = fromNumber; first <= end; first += BATCH) {
      for (String message : messages(first, end)) {
        ByteBuffer bytes = bytes(message);
        StoredMessage stored = StoredMessage.of(bytes);
        if (stored != null && !replay.onMessage(stored.number(), stored.epochNanos(), bytes, 0, bytes.limit())) {
          return;
        }
      }
    }
  }

  @Override
  public @Nullable IOException failure() {
    return failure;
  }

  @Override
  public void close() {
    if (store instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException e) {
        failure = e;
      }
    }
  }
}
