package dev.decant.lab.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.MessageView;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class OrderTest {
  @Test
  void orderIsAMessageOf150BytesAtSixDigits() {
    ByteBuffer order = Order.bytes(12_345, 123_456);

    assertThat(order.remaining()).isEqualTo(Order.WIRE_BYTES);
    MessageView message = new MessageView();
    assertThat(message.parse(order, 0, order.limit(), true)).isEqualTo(MessageView.OK);
    assertThat(message.string(Order.CL_ORD_ID)).isEqualTo("00012345");
    assertThat(Order.wireBytes((int) message.integer(9), 123_456)).isEqualTo(Order.WIRE_BYTES);
  }

  @Test
  void lengthIsToldAsIfTheNumberHadSixDigits() {
    MessageView message = new MessageView();
    ByteBuffer order = Order.bytes(1, 7);
    assertThat(message.parse(order, 0, order.limit(), true)).isEqualTo(MessageView.OK);

    assertThat(Order.wireBytes((int) message.integer(9), 7)).isEqualTo(Order.WIRE_BYTES);
  }
}
