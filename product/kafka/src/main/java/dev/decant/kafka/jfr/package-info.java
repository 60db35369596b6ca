/**
 * What a client tells, as events of the JDK's Flight Recorder. The only package that needs the module {@code jdk.jfr}:
 * a client that is not watched by it runs without.
 */
@NullMarked
package dev.decant.kafka.jfr;

import org.jspecify.annotations.NullMarked;
