package dev.decant.kafka.broker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** What may be wrong with the bytes of any answer. */
public enum Disturbance implements Script {
  /** The frame says it has less than nothing. */
  NEGATIVE_LENGTH {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.raw(withLength(exchange.standardFrame(), -1));
    }
  },
  /** The frame says it is larger than any memory. */
  HUGE_LENGTH {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.raw(withLength(exchange.standardFrame(), Integer.MAX_VALUE));
    }
  },
  /** The frame says it is longer than it is, and the connection ends. */
  SHORTER_THAN_ANNOUNCED {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      exchange.raw(withLength(frame, frame.length + 100));
      exchange.cut();
    }
  },
  /** The frame says it is shorter than it is, so that its end looks like the next frame. */
  LONGER_THAN_ANNOUNCED {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.raw(withLength(exchange.standardFrame(), 5));
    }
  },
  /** The frame has not even room for a correlation id. */
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
  /** The connection ends without an answer. */
  CUT_BEFORE_THE_ANSWER {
    @Override
    public void run(Exchange exchange) throws IOException {
      exchange.cut();
    }
  },
  /** The answer belongs to no request. */
  WRONG_CORRELATION_ID {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      ByteBuffer.wrap(frame).putInt(4, exchange.request().correlationId() + 1);
      exchange.raw(frame);
    }
  },
  /** Where the body should be, there is something else. */
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
  /** The answer comes again. */
  TWICE {
    @Override
    public void run(Exchange exchange) throws IOException {
      byte[] frame = exchange.standardFrame();
      exchange.raw(frame);
      exchange.raw(frame);
    }
  },
  /** There is no answer. */
  NOTHING {
    @Override
    public void run(Exchange exchange) {}
  };

  private static byte[] withLength(byte[] frame, int length) {
    ByteBuffer.wrap(frame).putInt(0, length);
    return frame;
  }
}
