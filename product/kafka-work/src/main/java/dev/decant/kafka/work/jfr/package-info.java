/** Events of works in the recordings of the JDK's Flight Recorder. */
@NullMarked
package dev.decant.kafka.work.jfr;

import org.jspecify.annotations.NullMarked;
