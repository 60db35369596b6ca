package dev.decant.fix.quickfix.store;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.MessageStore;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The store of a session that QuickFIX/J has written: {@link QuickFixFiles} or {@link QuickFixTables}. No engine may
 * have the session open meanwhile. One thread at a time.
 */
public abstract sealed class QuickFixStore permits QuickFixFiles, QuickFixTables {
  /** The numbers of a session. */
  record Numbers(long nextOutbound, long nextInbound, Instant created) {}

  /** Receives messages in the order of their numbers. */
  interface Sink {
    void message(long number, byte[] bytes) throws IOException;
  }

  private final SessionId session;

  QuickFixStore(SessionId session) {
    this.session = session;
  }

  /**
   * Returns the session of this store.
   *
   * @return the session
   */
  public SessionId session() {
    return session;
  }

  /**
   * Returns true if there is a store to import.
   *
   * @return true if QuickFIX/J has a store of the session here
   * @throws IOException if the files or tables cannot be read
   */
  public abstract boolean exists() throws IOException;

  abstract Numbers numbers() throws IOException;

  /** Reads the messages. Returns how many are torn. */
  abstract long read(Sink sink) throws IOException;

  /** Begins to write a new store without anything of an earlier one. */
  abstract Writing write(Numbers numbers) throws IOException;

  /** Writes a store, which replaces an earlier one at {@link #finish}. */
  interface Writing extends Sink, AutoCloseable {
    void finish() throws IOException;

    @Override
    void close() throws IOException;
  }

  /**
   * Copies numbers, messages and the time of creation into a store of Decant.
   *
   * @param target opens the store
   * @param replace true to replace an existing store with numbers
   * @return what was copied
   * @throws IOException if one of the stores fails, or the target has numbers already and must not be replaced
   */
  public StoreTransfer importInto(MessageStoreFactory target, boolean replace) throws IOException {
    Numbers numbers = numbers();
    long created = nanos(numbers.created());
    try (MessageStore store = target.open(session, created)) {
      boolean isNew = store.nextOutbound() == 1 && store.nextInbound() == 1;
      if (!isNew && !replace) {
        throw new IOException("the store of Decant has numbers of session " + session + " already: next out "
            + store.nextOutbound() + ", next in " + store.nextInbound() + ". Import with replace, or remove one of the"
            + " stores");
      }
      if (!isNew || store.createdEpochNanos() != created) {
        require(store, store.reset(created));
      }
      Import copy = new Import(store, numbers.nextOutbound());
      long torn = read(copy);
      require(store, store.setNextOutbound(numbers.nextOutbound(), created));
      require(store, store.setNextInbound(numbers.nextInbound(), created));
      require(store, store.commit());
      return new StoreTransfer(session, numbers.nextOutbound(), numbers.nextInbound(), numbers.created(), copy.count,
          copy.skipped + torn);
    }
  }

  private static void require(MessageStore store, boolean done) throws IOException {
    if (!done) {
      throw new IOException("the store of Decant takes nothing", store.failure());
    }
  }

  private static long nanos(Instant at) {
    return Math.addExact(TimeUnit.SECONDS.toNanos(at.getEpochSecond()), at.getNano());
  }

  /** Appends messages to a store of Decant. Numbers between them have no message. */
  private static final class Import implements Sink {
    private final MessageStore store;
    private final long end;
    private long count;
    private long skipped;

    Import(MessageStore store, long end) {
      this.store = store;
      this.end = end;
    }

    @Override
    public void message(long number, byte[] bytes) throws IOException {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      StoredMessage message = StoredMessage.of(buffer);
      if (message == null || number >= end || number < store.nextOutbound()) {
        skipped++;
        return;
      }
      if (number > store.nextOutbound()) {
        require(store, store.setNextOutbound(number, message.epochNanos()));
      }
      require(store, store.appendOutbound(number, message.epochNanos(), buffer, 0, bytes.length));
      count++;
    }
  }

  /**
   * Copies numbers, messages and the time of creation from a store of Decant, so that QuickFIX/J can continue with
   * them. This replaces an existing store of QuickFIX/J.
   *
   * @param source opens the store
   * @return what was copied
   * @throws IOException if one of the stores fails
   */
  public StoreTransfer exportFrom(MessageStoreFactory source) throws IOException {
    long now = nanos(Instant.now());
    try (MessageStore store = source.open(session, now)) {
      long created = store.createdEpochNanos();
      Numbers numbers = new Numbers(store.nextOutbound(), store.nextInbound(),
          Instant.ofEpochSecond(0, created));
      long[] count = {0};
      try (Writing writing = write(numbers)) {
        Failure failure = new Failure();
        store.replayOutbound(1, Math.max(1, store.nextOutbound() - 1), (number, epochNanos, buffer, from, to) -> {
          byte[] bytes = new byte[to - from];
          buffer.get(from, bytes);
          count[0]++;
          return failure.none(() -> writing.message(number, bytes));
        });
        failure.raise();
        writing.finish();
      }
      return new StoreTransfer(session, numbers.nextOutbound(), numbers.nextInbound(), numbers.created(), count[0], 0);
    }
  }
}
