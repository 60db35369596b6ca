package dev.decant.fix.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class MessageEncoderTest {
  private static final long EPOCH_NANOS = 1_773_480_413_000_000_000L;
  private static final long MILLISECOND = 1_000_000;

  private final MessageEncoder encoder = new MessageEncoder(
      SessionSettings.of(SessionId.of("FIX.4.4", "DECANT", "QFJ")).build());
  private final ByteBuffer message = ByteBuffer.allocate(4_096);

  private MessageView sentAgain(long firstSentEpochNanos, long epochNanos) {
    ByteBuffer body = ByteBuffer.wrap(new byte[] {'1', '1', '=', 'a', 1});
    int bytes = encoder.begin(MsgType.key("D"), 7, firstSentEpochNanos, epochNanos, 1)
        .encode(message, 0, body, 0, body.capacity());
    MessageView view = new MessageView();
    assertThat(view.parse(message, 0, bytes, true)).isEqualTo(MessageView.OK);
    return view;
  }

  @Test
  void messageThatIsSentAgainTellsWhenItWasSentFirst() {
    MessageView view = sentAgain(EPOCH_NANOS - MILLISECOND, EPOCH_NANOS);

    assertThat(view.timestamp(Tag.SENDING_TIME)).isEqualTo(EPOCH_NANOS);
    assertThat(view.timestamp(Tag.ORIG_SENDING_TIME)).isEqualTo(EPOCH_NANOS - MILLISECOND);
  }

  /**
   * A thread sent an order after the loop had read its clock, and in the same round the loop sent the order again: its
   * OrigSendingTime was behind its SendingTime. QuickFIX/J rejected it, so the application never got it. The same
   * happened to all messages that came again after the clock was set back.
   */
  @Test
  void originalTimeIsNeverBehindTheTimeOfSendingAgain() {
    MessageView view = sentAgain(EPOCH_NANOS + 3 * MILLISECOND, EPOCH_NANOS);

    assertThat(view.timestamp(Tag.SENDING_TIME)).isEqualTo(EPOCH_NANOS);
    assertThat(view.timestamp(Tag.ORIG_SENDING_TIME)).isEqualTo(EPOCH_NANOS);
  }
}
