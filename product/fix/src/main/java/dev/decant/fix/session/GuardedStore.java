package dev.decant.fix.session;

import dev.decant.fix.status.StoreStatus;
import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The store of a session, as its owner sees it. Each call takes the session's lock, as senders do, because a store
 * allows one thread at a time. A replay handler runs under that lock, so it must not call the session: it copies and
 * returns.
 *
 * <p>Owner of the session only, except {@link #nextOutbound}, {@link #status} and {@link #createdEpochNanos}: any
 * thread.
 */
final class GuardedStore implements MessageStore {
  private final SessionLock lock;
  private final MessageStore store;
  private final boolean needsCommit;
  /** Copy of the store's inbound number. Only the owner changes that number, so it is read without the lock. */
  private long nextInbound;
  /** The outbound number of the closed store; 0 while it is open. Guarded by the lock. */
  private long lastOutbound;
  /**
   * Why the store refused the last change of the owner. Changes by senders set only the failure of the store itself.
   */
  private @Nullable IOException failure;

  GuardedStore(SessionLock lock, MessageStore store) {
    this.lock = lock;
    this.store = store;
    nextInbound = store.nextInbound();
    needsCommit = store.needsCommit();
  }

  /** Copies number and failure after the owner has changed the store itself, under the lock. Returns {@code isDone}. */
  boolean done(boolean isDone) {
    failure = isDone ? null : store.failure();
    nextInbound = store.nextInbound();
    return isDone;
  }

  @Override
  public long nextOutbound() {
    lock.lock();
    try {
      return lastOutbound != 0 ? lastOutbound : store.nextOutbound();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long nextInbound() {
    return nextInbound;
  }

  @Override
  public long createdEpochNanos() {
    lock.lock();
    try {
      return store.createdEpochNanos();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public StoreStatus status() {
    lock.lock();
    try {
      return store.status();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    lock.lock();
    try {
      return done(store.appendOutbound(number, epochNanos, buffer, from, to));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean setNextOutbound(long number, long epochNanos) {
    lock.lock();
    try {
      return done(store.setNextOutbound(number, epochNanos));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    lock.lock();
    try {
      return done(store.appendInbound(number, epochNanos, buffer, from, to));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean setNextInbound(long number, long epochNanos) {
    lock.lock();
    try {
      return done(store.setNextInbound(number, epochNanos));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean reset(long epochNanos) {
    lock.lock();
    try {
      return done(store.reset(epochNanos));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean needsCommit() {
    return needsCommit;
  }

  @Override
  public boolean commit() {
    if (!needsCommit) {
      return true;
    }
    lock.lock();
    try {
      return done(store.commit());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    lock.lock();
    try {
      store.replayOutbound(fromNumber, toNumber, replay);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void replayInbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    lock.lock();
    try {
      store.replayInbound(fromNumber, toNumber, replay);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable IOException failure() {
    return failure;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      lastOutbound = store.nextOutbound();
      store.close();
    } finally {
      lock.unlock();
    }
  }
}
