package dev.decant.fix;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.MessageStore;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Stores that refuse changes while a test wants that, as those of a full disk do. */
final class NearlyFullStores implements MessageStoreFactory {
  private final MessageStoreFactory stores;
  volatile boolean isFull;

  NearlyFullStores(MessageStoreFactory stores) {
    this.stores = stores;
  }

  @Override
  public MessageStore open(SessionId session, long epochNanos) throws IOException {
    return new Guarded(stores.open(session, epochNanos));
  }

  private final class Guarded implements MessageStore {
    private final MessageStore store;
    private volatile @Nullable IOException failure;

    Guarded(MessageStore store) {
      this.store = store;
    }

    private boolean refuses() {
      failure = isFull ? new IOException("No space left on device") : null;
      return isFull;
    }

    private boolean done(boolean isDone) {
      failure = isDone ? null : store.failure();
      return isDone;
    }

    @Override
    public long nextOutbound() {
      return store.nextOutbound();
    }

    @Override
    public long nextInbound() {
      return store.nextInbound();
    }

    @Override
    public long createdEpochNanos() {
      return store.createdEpochNanos();
    }

    @Override
    public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
      return !refuses() && done(store.appendOutbound(number, epochNanos, buffer, from, to));
    }

    @Override
    public boolean setNextOutbound(long number, long epochNanos) {
      return !refuses() && done(store.setNextOutbound(number, epochNanos));
    }

    @Override
    public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
      return !refuses() && done(store.appendInbound(number, epochNanos, buffer, from, to));
    }

    @Override
    public boolean setNextInbound(long number, long epochNanos) {
      return !refuses() && done(store.setNextInbound(number, epochNanos));
    }

    @Override
    public boolean reset(long epochNanos) {
      return !refuses() && done(store.reset(epochNanos));
    }

    @Override
    public boolean needsCommit() {
      return store.needsCommit();
    }

    @Override
    public boolean commit() {
      return store.commit();
    }

    @Override
    public void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
      store.replayOutbound(fromNumber, toNumber, replay);
    }

    @Override
    public void replayInbound(long fromNumber, long toNumber, Replay replay) throws IOException {
      store.replayInbound(fromNumber, toNumber, replay);
    }

    @Override
    public @Nullable IOException failure() {
      return failure;
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
