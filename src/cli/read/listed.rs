//! How the rows of an account are listed: opened, filtered and read as the flags of every list say.

use super::{
    filters::{MarketFilter, SinceFilter, WantedMarket},
    pages::{Pages, RowDate, Selection, Since},
    prices,
};
use crate::{
    app::Store,
    cli::{service::Service, voice::ListOutput},
    config::Sources,
    model::{Cursor, Failure, FundingPayment, MarketId, Order, Page, Position, Scaled, Twap},
};
use color_eyre::Result;

/// A row with an id, in a market.
pub(super) trait Listed: 'static {
    /// By which it is taken once.
    fn id(&self) -> String;
    fn market(&self) -> &MarketId;
}

macro_rules! listed {
    ($($row:ty, $id:ident);+) => {$(
        impl Listed for $row {
            fn id(&self) -> String {
                self.$id.to_string()
            }

            fn market(&self) -> &MarketId {
                &self.market_id
            }
        }
    )+};
}
listed!(Order, id; Position, id; Twap, id; Scaled, id; FundingPayment, payment_id);

/// The markets of rows.
pub(super) fn markets<T: Listed>(rows: &[T]) -> Vec<MarketId> {
    rows.iter().map(|row| row.market().clone()).collect()
}

/// The flags of every list of an account.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ListFlags {
    #[command(flatten)]
    pub(super) market: MarketFilter,
    #[command(flatten)]
    pub(super) since: SinceFilter,
    #[command(flatten)]
    pub(super) pages: Pages,
    #[command(flatten)]
    pub(super) output: ListOutput,
}

/// A list that is being read.
pub(super) struct OpenedList {
    pub(super) service: Service,
    pub(super) since: Since,
    market: WantedMarket,
    pages: Pages,
    pub(super) output: ListOutput,
}

impl OpenedList {
    pub(super) async fn open(sources: &Sources, flags: ListFlags) -> Result<Self> {
        let service = Service::open(sources, flags.output.voice()).await?;
        Ok(Self {
            market: flags.market.wanted(&service).await?,
            since: flags.since.instant(&service).await,
            pages: flags.pages,
            output: flags.output,
            service,
        })
    }

    /// The rows of the market since then, each dated by `at`.
    pub(super) fn wanted<T: Listed>(&self, at: RowDate<T>) -> Selection<T> {
        let market = self.market.clone();
        let since = Selection::dated(T::id, self.since, at);
        since.filtered(move |row| market.keeps(row.market()))
    }

    /// Reads as many pages as are wanted.
    pub(super) async fn pages<T: Listed, F>(
        &self,
        wanted: &Selection<T>,
        fetch: impl FnMut(Option<Cursor>) -> F,
    ) -> Result<Page<T>>
    where
        F: Future<Output = Result<Page<T>, Failure>>,
    {
        let page = self.pages.read(self.output.voice(), wanted, fetch).await?;
        self.checked(page)
    }

    /// The newest of both lists.
    pub(super) async fn merged<T: Listed, F>(
        &self,
        wanted: &Selection<T>,
        [one, other]: [impl FnMut(Option<Cursor>) -> F; 2],
    ) -> Result<Page<T>>
    where
        F: Future<Output = Result<Page<T>, Failure>>,
    {
        let lists = [
            self.pages.read_pages(wanted, one).await?,
            self.pages.read_pages(wanted, other).await?,
        ];
        self.checked(self.pages.merged(self.output.voice(), wanted, lists))
    }

    /// The wanted rows of a list that is complete.
    pub(super) fn within<T: Listed>(
        &self,
        page: Page<T>,
        wanted: &Selection<T>,
    ) -> Result<Page<T>> {
        self.checked(self.pages.within(self.output.voice(), page, wanted))
    }

    /// Refuses a name that is no market.
    fn checked<T: Listed>(&self, page: Page<T>) -> Result<Page<T>> {
        let markets = page.rows.iter().map(T::market);
        self.market.check(markets, self.output.voice())?;
        Ok(page)
    }

    /// The prices of the markets of these rows, for columns that compare with them.
    pub(super) async fn prices<T: Listed>(&self, rows: &[T]) -> Store {
        prices(&self.service, markets(rows)).await
    }
}
