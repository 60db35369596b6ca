/**
 * Events of an engine for the JDK's Flight Recorder. Only this package needs the module {@code jdk.jfr}: an engine that
 * is not watched runs without it.
 */
@NullMarked
package dev.decant.fix.jfr;

import org.jspecify.annotations.NullMarked;
