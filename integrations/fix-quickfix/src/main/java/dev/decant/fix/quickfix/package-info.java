/** Applications of QuickFIX/J on the Decant FIX engine: an import or two of theirs change. */
@NullMarked
package dev.decant.fix.quickfix;

import org.jspecify.annotations.NullMarked;
