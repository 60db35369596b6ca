package dev.decant.fix.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that moves records from the rings of all stores of a factory to their segments. It runs while stores are
 * open.
 *
 * <p>While records arrive, it wakes every {@link #LINGER_NANOS} and moves all. A ring that fills, or a commit that
 * waits for a force, wakes it earlier. After a period without records it sleeps until the next one. A record in the
 * ring survives the end of the process like one in a segment, so earlier moves would gain nothing.
 *
 * <p>No wake-up is lost. A store makes its record visible, then reads the state. The thread sets the state, then looks
 * for records. All four accesses are volatile, so one of the two sees the other.
 */
final class RingWriter {
  /** How long records gather, and how long the thread waits after a full disk. */
  static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final int RUNNING = 0;
  private static final int LINGERING = 1;
  private static final int SLEEPING = 2;
  private static final AsyncFileStore[] NO_STORES = {};
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(RingWriter.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The open stores. Changed under the monitor, read by the thread. */
  private volatile AsyncFileStore[] stores = NO_STORES;
  /** Set by the thread. A store that wakes the thread sets {@link #RUNNING}. */
  private volatile int state = RUNNING;
  /** The running thread; null while no store is open. Changed under the monitor. */
  private volatile @Nullable Thread thread;

  synchronized void add(AsyncFileStore store) {
    AsyncFileStore[] more = Arrays.copyOf(stores, stores.length + 1);
    more[stores.length] = store;
    stores = more;
    if (thread == null) {
      Thread started = new Thread(this::run, "decant-fix-store-writer");
      started.setDaemon(true);
      thread = started;
      started.start();
    }
  }

  /** Removes a store. The thread may be working for it, but starts no further work for it. */
  @SuppressWarnings("ReferenceEquality") // identity: the same store
  synchronized void remove(AsyncFileStore store) {
    AsyncFileStore[] all = stores;
    for (int i = 0; i < all.length; i++) {
      if (all[i] == store) {
        AsyncFileStore[] less = Arrays.copyOf(all, all.length - 1);
        System.arraycopy(all, i + 1, less, i, less.length - i);
        stores = less;
      }
    }
    LockSupport.unpark(thread);
  }

  /** Wakes the thread if it sleeps, after a record was appended. The store's thread. */
  void onAppend(AsyncFileStore store) {
    int seen = state;
    if (seen != RUNNING && (seen == SLEEPING || store.becameUrgent())) {
      wake(seen);
    }
  }

  /** Makes the thread work at once. */
  void wake() {
    int seen = state;
    if (seen != RUNNING) {
      wake(seen);
    }
  }

  private void wake(int seen) {
    if (STATE.compareAndSet(this, seen, RUNNING)) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!ends()) {
      AsyncFileStore[] all = stores;
      boolean isBusy = false;
      boolean isStalled = false;
      for (AsyncFileStore store : all) {
        AsyncFileStore.Work work = store.move();
        isBusy |= work == AsyncFileStore.Work.MOVED;
        isStalled |= work == AsyncFileStore.Work.STALLED;
      }
      if (isStalled) {
        state = LINGERING;
        LockSupport.parkNanos(this, LINGER_NANOS);
      } else {
        pause(all, isBusy);
      }
      state = RUNNING;
    }
  }

  private void pause(AsyncFileStore[] all, boolean isBusy) {
    state = isBusy ? LINGERING : SLEEPING;
    boolean isWanted = isBusy;
    for (AsyncFileStore store : all) {
      if (store.isUrgent()) {
        return;
      }
      isWanted |= !store.isMoved();
    }
    if (isWanted) {
      LockSupport.parkNanos(this, LINGER_NANOS);
    } else {
      LockSupport.park(this);
    }
  }

  /** Returns true if no store is left. The next store starts another thread. */
  private boolean ends() {
    if (stores.length > 0) {
      return false;
    }
    synchronized (this) {
      if (stores.length == 0) {
        thread = null;
        return true;
      }
      return false;
    }
  }
}
