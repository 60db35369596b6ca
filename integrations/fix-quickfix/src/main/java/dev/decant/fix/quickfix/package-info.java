/** Runs applications of QuickFIX/J on the Decant FIX engine, after a change of one or two of their imports. */
@NullMarked
package dev.decant.fix.quickfix;

import org.jspecify.annotations.NullMarked;
