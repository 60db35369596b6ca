package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Platform and virtual threads send without a pause through a ring that is nearly always full. */
@Timeout(60)
class SharedRingTest {
  private static final int SENDERS = 4;
  private static final int MESSAGES_EACH = 10_000;
  private static final SessionId SERVER = SessionId.of(TwoEngines.VERSION, "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of(TwoEngines.VERSION, "CLIENT", "SERVER");

  /** Compares the numbers of the session, and those that each sender gives its messages, with what must come next. */
  private static final class InOrder implements Application {
    private final int[] ofSender = new int[SENDERS];
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private volatile long count;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner of the loop
    public void onMessage(FixSession session, MessageView message) {
      long number = message.integer(Tag.MSG_SEQ_NUM);
      int sender = (int) message.integer(109);
      long index = message.integer(11);
      if (number != count + 2 || index != ofSender[sender]) { // the logon has number 1
        faults.add("message " + index + " of sender " + sender + " came with number " + number + " after " + count
            + " messages, " + ofSender[sender] + " of them from this sender");
      }
      ofSender[sender]++;
      count++;
    }
  }

  private static void send(FixSession session, int sender, Queue<String> faults) {
    OutboundMessage order = session.newMessage();
    for (int i = 0; i < MESSAGES_EACH; i++) {
      SendStatus status = order.begin("D");
      if (status != SendStatus.OK) {
        faults.add("message " + i + " of sender " + sender + " was not sent: " + status);
        return;
      }
      order.integer(11, i).integer(109, sender);
      order.send();
    }
  }

  @Test
  void sendersThatWaitForRoomLoseNothingAndKeepTheirOrder() throws Exception {
    InOrder received = new InOrder();
    try (FixEngine serverEngine = FixEngine.builder().name("server").start();
        FixEngine clientEngine = FixEngine.builder().name("client").start()) {
      FixAcceptor acceptor = serverEngine
          .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), received)
          .session(SessionSettings.of(SERVER).build()).open();
      FixSession session = clientEngine
          .initiator(SessionSettings.of(CLIENT).ringBytes(1 << 14).maxMessageBytes(1 << 13)
              .sendTimeout(Duration.ofMinutes(1)).build(), (from, message) -> {})
          .host("localhost", acceptor.localAddress().getPort()).open();
      assertThat(session.awaitLogon(TwoEngines.PATIENCE)).isTrue();

      List<Thread> senders = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        int sender = i;
        Thread.Builder kind = i % 2 == 0 ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
        senders.add(kind.name("sender-" + i).start(() -> send(session, sender, received.faults)));
      }

      boolean areAllThere = serverEngine.waitUntil(() -> received.count == SENDERS * MESSAGES_EACH,
          TwoEngines.PATIENCE);
      assertThat(received.faults).isEmpty();
      assertThat(areAllThere).as("%d messages of %d came", received.count, SENDERS * MESSAGES_EACH).isTrue();
      for (Thread sender : senders) {
        assertThat(sender.join(TwoEngines.PATIENCE)).as(sender.getName()).isTrue();
      }
      assertThat(received.faults).isEmpty();
    }
  }
}
