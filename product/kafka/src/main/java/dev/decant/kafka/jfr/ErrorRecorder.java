package dev.decant.kafka.jfr;

import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import jdk.jfr.EventType;

/** Records whatever goes wrong. */
final class ErrorRecorder implements ErrorListener {
  private static final EventType ERROR = EventType.getEventType(ErrorEvent.class);

  @Override
  public void onError(ErrorKind kind, String where, Throwable cause) {
    if (ERROR.isEnabled()) {
      new ErrorEvent(kind, where, cause).commit();
    }
  }
}
