package dev.decant.kafka.broker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Damages the bytes of any response. */
public enum Disturbance implements Script {
  /** The length of the frame is negative. */
  NEGATIVE_LENGTH {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.raw(withLength(exchange.standardFrame(), -1));
    }
  },
  /** The length of the frame is larger than any memory. */
  HUGE_LENGTH {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.raw(withLength(exchange.standardFrame(), Integer.MAX_VALUE));
    }
  },
  /** The frame is shorter than its length, and the connection ends. */
  SHORTER_THAN_ANNOUNCED {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      exchange.raw(withLength(frame, frame.length + 100));
      exchange.cut();
    }
  },
  /** The frame is longer than its length, so its end looks like the next frame. */
  LONGER_THAN_ANNOUNCED {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.raw(withLength(exchange.standardFrame(), 5));
    }
  },
  /** The frame is too short for a correlation id. */
  EMPTY {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.raw(new byte[4]);
    }
  },
  /** The connection ends in the middle of a frame. */
  CUT_IN_THE_MIDDLE {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      exchange.raw(Arrays.copyOf(frame, frame.length / 2));
      exchange.cut();
    }
  },
  /** The connection ends without a response. */
  CUT_BEFORE_THE_RESPONSE {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.cut();
    }
  },
  /** The response belongs to no request. */
  WRONG_CORRELATION_ID {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      ByteBuffer.wrap(frame).putInt(4, exchange.request().correlationId() + 1);
      exchange.raw(frame);
    }
  },
  /** The body is replaced by other bytes. */
  GARBAGE {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      Arrays.fill(frame, 8, frame.length, (byte) 0xFF);
      exchange.raw(frame);
    }
  },
  /** The body ends too early, and so does the frame. */
  TRUNCATED_BODY {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      exchange.raw(withLength(Arrays.copyOf(frame, 10), 6));
    }
  },
  /** The response comes twice. */
  TWICE {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      exchange.raw(frame);
      exchange.raw(frame);
    }
  },
  /** There is no response. */
  NOTHING {
    @Override
    public void run(Exchange exchange) {}
  };

  private static byte[] withLength(byte[] frame, int length) {
    ByteBuffer.wrap(frame).putInt(0, length);
    return frame;
  }
}
