package dev.decant.fix.quickfix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import quickfix.DefaultMessageFactory;
import quickfix.FieldNotFound;
import quickfix.IncorrectDataFormat;
import quickfix.IncorrectTagValue;
import quickfix.Log;
import quickfix.LogFactory;
import quickfix.MemoryStoreFactory;
import quickfix.Message;
import quickfix.SessionID;
import quickfix.SessionSettings;
import quickfix.UnsupportedMessageType;

/** The threads that call the application, and what ends with the connector. */
@Timeout(60)
class ThreadsTest {
  /** A callback of one session waits until the other one has its message, too. */
  private static final class Waiting extends Side {
    final CountDownLatch both = new CountDownLatch(2);
    volatile boolean isHeldUp;

    Waiting(int port) {
      super(EngineUnderTest.DECANT, true, "FIX.4.4", port);
    }

    @Override
    public void fromApp(Message message, SessionID session)
        throws FieldNotFound, IncorrectDataFormat, IncorrectTagValue, UnsupportedMessageType {
      both.countDown();
      try {
        isHeldUp |= !both.await(30, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      super.fromApp(message, session);
    }
  }

  /** All sessions had one thread. */
  @Test
  void callbackThatBlocksHoldsUpNoOtherSessionOfAThreadedAcceptor() throws Exception {
    int port = Side.freePort();
    Waiting venue = new Waiting(port);
    SessionSettings settings = new SessionSettings();
    for (String buyer : List.of("BUYER", "OTHER")) {
      SessionID id = new SessionID("FIX.4.4", "VENUE", buyer);
      settings.setString(id, "ConnectionType", "acceptor");
      settings.setString(id, "SocketAcceptPort", Integer.toString(port));
      settings.setString(id, "NonStopSession", "Y");
    }
    ThreadedSocketAcceptor acceptor = new ThreadedSocketAcceptor(venue, new MemoryStoreFactory(), settings,
        EngineUnderTest.SILENT, new DefaultMessageFactory());
    acceptor.start();
    SessionID other = new SessionID("FIX.4.4", "OTHER", "VENUE");
    try (Side one = new Side(EngineUnderTest.QUICKFIX, false, "FIX.4.4", port).start();
        Side two = new Side(EngineUnderTest.QUICKFIX, false, other, port).start()) {
      one.awaitLogon();
      two.awaitLogon();
      one.send(Orders.order("FIX.4.4", "A"));
      two.send(Orders.order("FIX.4.4", "B"));
      venue.awaitReceived(2);
      assertThat(venue.isHeldUp).isFalse();
    } finally {
      acceptor.stop();
    }
  }

  /** A thread of a ThreadedSocketInitiator forgot that it was within a callback when another one began its own. */
  @Test
  void eachThreadKnowsThatItIsWithinACallback() throws Exception {
    CallbackThread callbacks = new CallbackThread();
    CyclicBarrier together = new CyclicBarrier(2);
    List<Boolean> within = new CopyOnWriteArrayList<>();
    Runnable callback = () -> {
      var before = callbacks.begin();
      try {
        together.await(20, TimeUnit.SECONDS);
        within.add(callbacks.isWithin());
        together.await(20, TimeUnit.SECONDS);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      } finally {
        callbacks.end(before);
      }
      within.add(!callbacks.isWithin());
    };
    Thread one = Thread.ofPlatform().start(callback);
    Thread two = Thread.ofPlatform().start(callback);
    one.join();
    two.join();

    assertThat(within).containsExactly(true, true, true, true);
  }

  /** A log that has a file. */
  private interface OpenLog extends Log, Closeable {}

  @Test
  void logsAreClosedWithTheConnector() throws Exception {
    List<String> closed = new CopyOnWriteArrayList<>();
    LogFactory logs = id -> (Log) java.lang.reflect.Proxy.newProxyInstance(OpenLog.class.getClassLoader(),
        new Class<?>[] {OpenLog.class}, (proxy, method, arguments) -> {
          if (method.getName().equals("close")) {
            closed.add(id.toString());
          }
          return null;
        });
    Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", Side.freePort());
    SocketInitiator initiator = new SocketInitiator(buyer, new MemoryStoreFactory(), buyer.settings, logs,
        new DefaultMessageFactory());
    initiator.start();
    initiator.stop();

    assertThat(closed).containsExactly("FIX.4.4:BUYER->VENUE");
  }
}
